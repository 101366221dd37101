package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Pod names only what classification reads; the rest of the JSON is skipped, which is kinder than a whole corev1.Pod.
type Pod struct {
	Status struct {
		Reason                string            `json:"reason"`
		Message               string            `json:"message"`
		ContainerStatuses     []ContainerStatus `json:"containerStatuses"`
		InitContainerStatuses []ContainerStatus `json:"initContainerStatuses"`
	} `json:"status"`
}

// ContainerStatus is one container's.
type ContainerStatus struct {
	Name  string `json:"name"`
	State struct {
		Terminated *Terminated `json:"terminated"`
	} `json:"state"`
}

// Terminated says how a container ended.
type Terminated struct {
	ExitCode int32  `json:"exitCode"`
	Reason   string `json:"reason"`
	Message  string `json:"message"`
}

// Event is one about the pod.
type Event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Subject is what is classified: a pod, its events, and the one text that says what happened to it.
type Subject struct {
	Pod    Pod
	Events []Event
	Error  string
}

func decode(raw RawSubject) (Subject, error) {
	var subject Subject
	if err := json.Unmarshal(raw.Pod, &subject.Pod); err != nil {
		return subject, err
	}
	subject.Events = make([]Event, len(raw.Events))
	for i, event := range raw.Events {
		if err := json.Unmarshal(event, &subject.Events[i]); err != nil {
			return subject, err
		}
	}
	subject.Error = podError(&subject.Pod)
	return subject, nil
}

// podError is the pod's message, else a line for each failed container.
func podError(pod *Pod) string {
	if pod.Status.Message != "" {
		return pod.Status.Message
	}
	var said strings.Builder
	for _, container := range failed(pod) {
		ended := container.State.Terminated
		fmt.Fprintf(&said, "Container %s failed with exit code %d because %s: %s\n",
			container.Name, ended.ExitCode, ended.Reason, ended.Message)
	}
	return said.String()
}

// failed gives the containers that ended with a code other than 0, app containers first.
func failed(pod *Pod) []ContainerStatus {
	var found []ContainerStatus
	for _, statuses := range [][]ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for _, status := range statuses {
			if ended := status.State.Terminated; ended != nil && ended.ExitCode != 0 {
				found = append(found, status)
			}
		}
	}
	return found
}
