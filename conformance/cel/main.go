// Command judge says what the compiler of selectors of the release that it is built with makes of expressions.
//
// It compiles an expression as the API server does when it is new, and runs it over the devices of the case. What differs
// between releases is found by the names of functions and fields, so a new release needs no line here.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"

	"judge/lines"
)

type testCase struct {
	ID         string            `json:"id"`
	Kind       string            `json:"kind"`
	Expression string            `json:"expression"`
	Devices    []json.RawMessage `json:"devices"`
}

type verdict struct {
	ID    string `json:"id"`
	Error string `json:"error,omitempty"`
	// The estimate; a release without estimates has none.
	Cost *uint64 `json:"cost,omitempty"`
	// For each device: true, false or error.
	Outcomes []string `json:"outcomes,omitempty"`
}

// An overload is one signature of a function, as a table of dralint has it.
type overload struct {
	ID     string   `json:"id"`
	Member bool     `json:"member"`
	Args   []string `json:"args"`
	Result string   `json:"result"`
}

// compile returns the method of the compiler with these feature gates on.
func compile(gates []string) reflect.Value {
	get := reflect.ValueOf(dracel.GetCompiler)
	var in []reflect.Value
	if get.Type().NumIn() > 0 {
		features := reflect.New(get.Type().In(0)).Elem()
		for _, gate := range gates {
			if field := features.FieldByName("Enable" + strings.TrimPrefix(gate, "DRA")); field.IsValid() {
				field.SetBool(true)
			}
		}
		in = append(in, features)
	}
	return get.Call(in)[0].MethodByName("CompileCELExpression")
}

// options says that the expression is new, and of which kind it is.
func options(of reflect.Type, kind string) reflect.Value {
	expressions := environment.NewExpressions
	if of.Kind() != reflect.Struct {
		return reflect.ValueOf(expressions)
	}
	made := reflect.New(of).Elem()
	made.FieldByName("EnvType").Set(reflect.ValueOf(&expressions))
	if kind == "derived" {
		made.FieldByName("DerivedAttribute").SetBool(true)
	}
	return made
}

func answer(compile reflect.Value, c testCase) (v verdict) {
	v.ID = c.ID
	defer func() {
		if r := recover(); r != nil {
			v = verdict{ID: c.ID, Error: fmt.Sprint("panic: ", r)}
		}
	}()
	result := compile.Call([]reflect.Value{reflect.ValueOf(c.Expression), options(compile.Type().In(1), c.Kind)})[0]
	if err := result.FieldByName("Error").Interface().(*apiservercel.Error); err != nil {
		v.Error = err.Detail
		return v
	}
	if field := result.FieldByName("MaxCost"); field.IsValid() {
		cost := field.Uint()
		v.Cost = &cost
	}
	for _, device := range c.Devices {
		v.Outcomes = append(v.Outcomes, outcome(result.MethodByName("DeviceMatches"), device))
	}
	return v
}

func outcome(matches reflect.Value, raw json.RawMessage) (said string) {
	device := reflect.New(matches.Type().In(1))
	if err := json.Unmarshal(raw, device.Interface()); err != nil {
		panic(err)
	}
	out := matches.Call([]reflect.Value{reflect.ValueOf(context.Background()), device.Elem()})
	if !out[len(out)-1].IsNil() {
		return "error"
	}
	return fmt.Sprint(out[0].Bool())
}

// functions describes what expressions may call.
func functions(compile reflect.Value) (map[string]any, error) {
	result := compile.Call([]reflect.Value{reflect.ValueOf("true"), options(compile.Type().In(1), "device")})[0]
	env, ok := result.FieldByName("Environment").Interface().(interface {
		Functions() map[string]*decls.FunctionDecl
		Macros() []cel.Macro
	})
	if !ok {
		return nil, errors.New("the CEL library of this release does not list its functions")
	}
	found := map[string][]overload{}
	for name, function := range env.Functions() {
		if function.IsDeclarationDisabled() {
			continue
		}
		for _, one := range function.OverloadDecls() {
			args := []string{}
			for _, arg := range one.ArgTypes() {
				args = append(args, arg.String())
			}
			found[name] = append(found[name], overload{one.ID(), one.IsMemberFunction(), args, one.ResultType().String()})
		}
	}
	var macros []string
	for _, macro := range env.Macros() {
		macros = append(macros, macro.MacroKey())
	}
	return map[string]any{"functions": found, "macros": macros}, nil
}

func main() {
	gates := flag.String("feature-gates", "", "feature gates that are on, separated by commas")
	list := flag.Bool("functions", false, "write what expressions may call, and end")
	flag.Parse()
	compiled := compile(strings.Split(*gates, ","))
	if *list {
		found, err := functions(compiled)
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(found)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	lines.Answer(func(c testCase) verdict { return answer(compiled, c) })
}
