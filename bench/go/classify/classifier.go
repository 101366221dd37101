package main

import (
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Rule is one rule of the task; which fields it has depends on On.
type Rule struct {
	Category string   `json:"category"`
	On       string   `json:"on"`
	Pattern  string   `json:"pattern"`
	Type     string   `json:"type"`
	Reason   string   `json:"reason"`
	Codes    []int32  `json:"codes"`
	Names    []string `json:"names"`
}

// Classifier holds a compiled expression for each rule that has one.
type Classifier struct {
	rules    []compiled
	fallback string
}

type compiled struct {
	Rule
	pattern *regexp.Regexp
	took    histogram
}

// histogram counts by power of two of microseconds: cheaper than Armada's, which looks up labels.
type histogram struct {
	sum     time.Duration
	buckets [16]uint64
}

func (h *histogram) observe(took time.Duration) {
	h.sum += took
	bucket := 0
	for limit := 10 * time.Microsecond; bucket < len(h.buckets)-1 && took > limit; limit *= 2 {
		bucket++
	}
	h.buckets[bucket]++
}

// Compile compiles every rule.
func Compile(rules []Rule, fallback string) (*Classifier, error) {
	classifier := &Classifier{fallback: fallback}
	for _, rule := range rules {
		one := compiled{Rule: rule}
		if rule.Pattern != "" {
			pattern, err := regexp.Compile(rule.Pattern)
			if err != nil {
				return nil, err
			}
			one.pattern = pattern
		}
		classifier.rules = append(classifier.rules, one)
	}
	return classifier, nil
}

// Classify gives the category of the first rule that matches.
func (c *Classifier) Classify(subject *Subject) string {
	containers := failed(&subject.Pod)
	for i := range c.rules {
		rule := &c.rules[i]
		started := time.Now()
		found := rule.matches(subject, containers)
		rule.took.observe(time.Since(started))
		if found {
			return rule.Category
		}
	}
	return c.fallback
}

func (r *compiled) matches(subject *Subject, containers []ContainerStatus) bool {
	switch r.On {
	case "terminationMessage":
		return slices.ContainsFunc(containers, func(one ContainerStatus) bool {
			return r.search(one.State.Terminated.Message)
		})
	case "podError":
		return r.search(subject.Error)
	case "podEvents":
		return slices.ContainsFunc(subject.Events, func(event Event) bool {
			return event.Type == r.Type && (r.Reason == "" || event.Reason == r.Reason) && r.search(event.Message)
		})
	case "exitCodes":
		return slices.ContainsFunc(containers, func(one ContainerStatus) bool {
			return slices.Contains(r.Codes, one.State.Terminated.ExitCode)
		})
	case "conditions":
		return slices.Contains(r.Names, subject.Pod.Status.Reason)
	}
	panic(fmt.Sprintf("no rule looks at %q", r.On))
}

func (r *compiled) search(text string) bool {
	return text != "" && r.pattern.MatchString(text)
}
