// What the tools of Kubernetes make of YAML: from standard input files, each behind a line with its length in bytes; to
// standard output a line for each document, `= JSON`, `~ JSON` where a key is set twice and the last one counts, or
// `! MESSAGE`, and `.` behind each file.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

func say(out *bufio.Writer, value []byte, err error) {
	if err != nil {
		fmt.Fprintf(out, "! %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
	} else {
		fmt.Fprintf(out, "= %s\n", value)
	}
}

func setTwice(document []byte) bool {
	_, err := yaml.YAMLToJSONStrict(document)
	return err != nil && strings.Contains(err.Error(), "already set")
}

// The documents of a stream are cut as k8s.io/apimachinery/pkg/util/yaml.YAMLReader does: at lines that begin with `---`.
func documents(text []byte, out *bufio.Writer) {
	var document []byte
	flush := func() {
		if len(document) > 0 {
			value, err := yaml.YAMLToJSON(document)
			if err == nil && setTwice(document) {
				fmt.Fprintf(out, "~ %s\n", value)
			} else {
				say(out, value, err)
			}
		}
		document = nil
	}
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("---")) {
			flush()
			if rest := bytes.TrimSpace(line[3:]); len(rest) > 0 && rest[0] != '#' {
				say(out, nil, fmt.Errorf("invalid Yaml document separator: %s", rest))
				return
			}
		}
		document = append(document, line...)
	}
	flush()
}

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		var length int
		if _, err := fmt.Fscanf(in, "%d\n", &length); err != nil {
			return
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(in, text); err != nil {
			panic(err)
		}
		documents(text, out)
		fmt.Fprintln(out, ".")
	}
}
