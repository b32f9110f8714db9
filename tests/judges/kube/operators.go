package main

import (
	"encoding/json"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	mpivalidation "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The operators that have no webhook: the server stores what they refuse, and no pod is ever made.
var operators = map[schema.GroupVersionKind]func(document []byte) []string{
	mpi.SchemeGroupVersionKind: judgeMPIJob,
}

// judgeOperator takes a custom resource as its operator does; kinds whose operator is not listed pass.
func judgeOperator(gvk schema.GroupVersionKind, document []byte) []string {
	judge := operators[gvk]
	if judge == nil {
		return nil
	}
	return judge(document)
}

// judgeMPIJob does what the MPI operator's syncHandler does first: defaults, then validation.
func judgeMPIJob(document []byte) (found []string) {
	job := &mpi.MPIJob{}
	if err := json.Unmarshal(document, job); err != nil {
		return []string{"mpi-operator: " + err.Error()}
	}
	mpi.SetDefaults_MPIJob(job)
	for _, wrong := range mpivalidation.ValidateMPIJob(job) {
		found = append(found, "mpi-operator: "+wrong.Error())
	}
	return found
}
