// Command jobset is the controller of JobSets, for tests: on the cluster of KUBECONFIG, without JobSet's webhooks, so a
// JobSet must say what these would fill in. Its custom resource is to be created before.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/controllers"
)

// requestsPerSecond is as many as the other controllers of tests may send.
const requestsPerSecond = 200

func main() {
	ctrl.SetLogger(klog.Background())
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS, config.Burst = requestsPerSecond, 2*requestsPerSecond
	known := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(known), jobset.AddToScheme(known)); err != nil {
		return err
	}
	nowhere := metrics.Options{BindAddress: "0"}
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: known, Metrics: nowhere})
	if err != nil {
		return err
	}
	if err := controllers.SetupJobSetIndexes(ctx, manager.GetFieldIndexer()); err != nil {
		return err
	}
	events := manager.GetEventRecorderFor("jobset")
	controller := controllers.NewJobSetReconciler(manager.GetClient(), manager.GetScheme(), events)
	if err := controller.SetupWithManager(manager); err != nil {
		return err
	}
	return manager.Start(ctx)
}
