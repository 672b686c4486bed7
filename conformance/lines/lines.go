// Package lines reads cases from standard input, a JSON object a line, and writes a verdict a line in the same order.
package lines

import (
	"bufio"
	"encoding/json"
	"os"
)

// Answer writes what `answer` says of each case.
func Answer[Case, Verdict any](answer func(Case) Verdict) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var c Case
			if err := json.Unmarshal(line, &c); err != nil {
				panic(err)
			}
			if err := encoder.Encode(answer(c)); err != nil {
				panic(err)
			}
		}
		if err != nil {
			return
		}
	}
}
