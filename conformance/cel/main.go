// Command judge says what the compiler of selectors of the release that it is built with makes of expressions.
//
// It reads expressions from standard input, a JSON string a line, and writes a verdict a line in the same order. With -dump it
// writes the functions and macros of the environment instead.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/google/cel-go/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

const (
	mostCost   = 1000000
	mostLength = 10 * 1024
)

type verdict struct {
	OK    bool    `json:"ok"`
	Cost  *uint64 `json:"cost,omitempty"`
	Type  string  `json:"type,omitempty"`
	Error string  `json:"error,omitempty"`
}

type overload struct {
	ID     string   `json:"id"`
	Member bool     `json:"member"`
	Args   []string `json:"args"`
	Result string   `json:"result"`
}

func compile(features dracel.Features, expression string) (v verdict, env *cel.Env) {
	defer func() {
		if r := recover(); r != nil {
			v = verdict{Error: fmt.Sprint("panic: ", r)}
		}
	}()
	if len(expression) > mostLength {
		return verdict{Error: "too long"}, nil
	}
	kind := environment.NewExpressions
	result := dracel.GetCompiler(features).CompileCELExpression(expression, dracel.Options{EnvType: &kind})
	if result.Error != nil {
		return verdict{Error: result.Error.Detail}, nil
	}
	return verdict{OK: result.MaxCost <= mostCost, Cost: &result.MaxCost, Type: result.OutputType.String()}, result.Environment
}

func dump(env *cel.Env) any {
	functions := map[string][]overload{}
	for name, function := range env.Functions() {
		if function.IsDeclarationDisabled() {
			continue
		}
		for _, one := range function.OverloadDecls() {
			args := []string{}
			for _, arg := range one.ArgTypes() {
				args = append(args, arg.String())
			}
			functions[name] = append(functions[name], overload{one.ID(), one.IsMemberFunction(), args, one.ResultType().String()})
		}
	}
	macros := []string{}
	for _, macro := range env.Macros() {
		macros = append(macros, macro.MacroKey())
	}
	return map[string]any{"functions": functions, "macros": macros}
}

func main() {
	on := flag.String("features", "EnableConsumableCapacity", "fields of the compiler's Features that are on")
	dumps := flag.Bool("dump", false, "write the functions and macros")
	flag.Parse()
	var features dracel.Features
	for _, name := range strings.Split(*on, ",") {
		if field := reflect.ValueOf(&features).Elem().FieldByName(name); field.IsValid() {
			field.SetBool(true)
		}
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if *dumps {
		_, env := compile(features, "true")
		if err := out.Encode(dump(env)); err != nil {
			panic(err)
		}
		return
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	for in.Scan() {
		var expression string
		if err := json.Unmarshal(in.Bytes(), &expression); err != nil {
			panic(err)
		}
		v, _ := compile(features, expression)
		if err := out.Encode(v); err != nil {
			panic(err)
		}
	}
}
