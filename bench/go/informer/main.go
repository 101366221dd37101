// Command informer is the peer of bench/watch.py: client-go's SharedInformer over all pods, as JSON.
//
// Its arguments are the API server's URL and a number of changes. Once the list is in, it prints a line of JSON with
// seconds and memory; then it counts that many changes, prints another, and ends.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Figures is what one line says.
type Figures struct {
	Seconds     float64 `json:"seconds"`
	CPUSeconds  float64 `json:"cpu_seconds"`
	PeakMB      float64 `json:"peak_mb"`
	ResidentMB  float64 `json:"resident_mb"`
	CollectedMB float64 `json:"collected_mb"`
	Pods        int     `json:"pods"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: informer URL CHANGES")
	}
	changes, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host:          os.Args[1],
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
		QPS:           1000,
		Burst:         1000,
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(metav1.NamespaceAll))
	informer := factory.Core().V1().Pods().Informer()
	changed := make(chan struct{}, 1)
	seen := 0
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, next any) {
			if next.(*corev1.Pod).Name == "" {
				log.Fatal("a pod without a name")
			}
			if seen++; seen == changes {
				changed <- struct{}{}
			}
		},
	}); err != nil {
		log.Fatal(err)
	}
	started := time.Now()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		log.Fatal("the informer did not sync")
	}
	report(started, informer)
	started = time.Now()
	if changes > 0 {
		<-changed
		report(started, informer)
	}
}

func report(started time.Time, informer cache.SharedInformer) {
	figures := Figures{
		Seconds:    time.Since(started).Seconds(),
		CPUSeconds: cpuSeconds(),
		PeakMB:     statusMB("VmHWM"),
		ResidentMB: statusMB("VmRSS"),
		Pods:       len(informer.GetStore().ListKeys()),
	}
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	figures.CollectedMB = float64(memory.HeapAlloc) / 1e6
	text, err := json.Marshal(figures)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
}

// statusMB reads a figure of /proc/self/status, which is in KiB.
func statusMB(name string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name+":" {
			kib, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				log.Fatal(err)
			}
			return kib * 1024 / 1e6
		}
	}
	log.Fatalf("no %s", name)
	return 0
}
