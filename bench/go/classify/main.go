// Command classify is the peer of bench/classify.py: a classifier like armadaproject/armada
// internal/executor/categorizer at 207cc9e04, one regexp per rule in file order, the first match wins, and each
// rule's evaluation is timed.
//
// Its argument is a JSON file of rules and pods. It first answers with the category of each pod, then reads a word a
// line: "classify" classifies all pods once, "decode" reads each from JSON before. The answer is microseconds of
// processor time a pod. It ends when its input does.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// Task is what the file holds: pods are still JSON, as an API server sends them.
type Task struct {
	Rules   []Rule       `json:"rules"`
	Default string       `json:"default"`
	Pods    []RawSubject `json:"pods"`
}

// RawSubject is a pod and the events about it.
type RawSubject struct {
	Pod    json.RawMessage   `json:"pod"`
	Events []json.RawMessage `json:"events"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: classify TASK")
	}
	runtime.GOMAXPROCS(1)
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var task Task
	if err := json.Unmarshal(text, &task); err != nil {
		log.Fatal(err)
	}
	classifier, err := Compile(task.Rules, task.Default)
	if err != nil {
		log.Fatal(err)
	}
	subjects := make([]Subject, len(task.Pods))
	answers := make([]string, len(task.Pods))
	for i, raw := range task.Pods {
		if subjects[i], err = decode(raw); err != nil {
			log.Fatal(err)
		}
		answers[i] = classifier.Classify(&subjects[i])
	}
	answer(answers)
	debug.FreeOSMemory()
	serve(classifier, task.Pods, subjects)
}

func serve(classifier *Classifier, raws []RawSubject, subjects []Subject) {
	asked := bufio.NewScanner(os.Stdin)
	for asked.Scan() {
		started := cpuTime()
		switch asked.Text() {
		case "classify":
			for i := range subjects {
				classifier.Classify(&subjects[i])
			}
		case "decode":
			for _, raw := range raws {
				subject, err := decode(raw)
				if err != nil {
					log.Fatal(err)
				}
				classifier.Classify(&subject)
			}
		default:
			log.Fatalf("not a question: %q", asked.Text())
		}
		answer(float64((cpuTime() - started).Nanoseconds()) / 1e3 / float64(len(raws)))
	}
}

func answer(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
}

// cpuTime is what this process has used of the processor so far; others that run beside it do not count.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		log.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
