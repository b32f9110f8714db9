// Command kube takes manifests as a Kubernetes API server would take them, without one.
//
//	kube --crds DIR FILE...
//
// Every document is read strictly (an unknown or repeated field is an error, as with `kubectl apply
// --validate=strict`), defaulted, and handed to the code that the server itself runs before it stores an object:
// the registry strategies of k8s.io/kubernetes for its own kinds, those of k8s.io/apiextensions-apiserver for the
// kinds of the CustomResourceDefinitions in DIR. Pod and job templates inside custom resources are taken as the
// operators will hand them on: as a pod template and a Job of their own. What an operator without a webhook refuses
// when it reads the stored object is a finding too (operators.go). The program states no rule.
//
// One line a finding, `file:document: kind: what the server says`; warnings are findings too. Exit status 1 after
// any finding, 2 if the arguments or the definitions cannot be used.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

func main() {
	crds := flag.String("crds", "", "folder of CustomResourceDefinitions")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: kube --crds DIR FILE...")
		os.Exit(2)
	}
	server := server{definitions: definitions{folder: *crds}}
	documents, findings := 0, 0
	for _, file := range flag.Args() {
		read, found := server.judgeFile(file)
		documents, findings = documents+read, findings+found
	}
	fmt.Fprintf(os.Stderr, "%d documents, %d findings\n", documents, findings)
	if findings > 0 {
		os.Exit(1)
	}
}

type server struct{ definitions definitions }

// judgeFile prints what is found in one file; returns how many documents it held and how many findings there were.
func (s *server) judgeFile(file string) (documents, findings int) {
	say := func(kind, text string) {
		findings++
		fmt.Printf("%s:%d: %s: %s\n", file, documents, kind, strings.Join(strings.Fields(text), " "))
	}
	content, err := os.ReadFile(file)
	if err != nil {
		say("-", err.Error())
		return
	}
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			say("-", err.Error())
			break
		}
		if blank(document) {
			continue
		}
		documents++
		kind, found := s.judge(document)
		for _, text := range found {
			say(kind, text)
		}
	}
	if documents == 0 && findings == 0 {
		say("-", "no document")
	}
	return
}

// judge takes one YAML document; returns its kind and what the server says to it.
func (s *server) judge(document []byte) (string, []string) {
	json, err := sigsyaml.YAMLToJSONStrict(document)
	if err != nil {
		return "-", []string{err.Error()}
	}
	var meta metav1.TypeMeta
	if err := sigsyaml.Unmarshal(json, &meta); err != nil {
		return "-", []string{err.Error()}
	}
	gvk := meta.GroupVersionKind()
	if ownKind(gvk) {
		return gvk.Kind, judgeOwn(gvk, json)
	}
	definition, err := s.definitions.find(gvk)
	if err != nil {
		return gvk.Kind, []string{err.Error()}
	}
	found := append(definition.judge(json), judgeOperator(gvk, json)...)
	return gvk.Kind, append(found, judgeTemplates(json)...)
}

// blank: nothing but comments and separators.
func blank(document []byte) bool {
	for _, line := range bytes.Split(document, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}
