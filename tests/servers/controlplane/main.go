// Command controlplane is a Kubernetes control plane in one program, for tests, with kubectl: the first argument says
// which part. Called by the name of a part, as through a link named kubectl, it is that part.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// parts are the programs of Kubernetes; they take their flags from os.Args.
var parts = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

// tools do one thing and end.
var tools = map[string]func(args []string) error{
	"compact": compact,
	"keys":    keys,
}

func main() {
	if name := filepath.Base(os.Args[0]); parts[name] != nil {
		os.Args[0] = name
	} else if os.Args = os.Args[1:]; len(os.Args) == 0 {
		fail(errors.New("usage: controlplane etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubectl|compact|keys ..."))
	}
	fail(dieWithParent())
	switch name := os.Args[0]; {
	case name == "etcd":
		etcdmain.Main(os.Args)
	case parts[name] != nil:
		fail(hurryJobs())
		os.Exit(cli.Run(parts[name]()))
	case tools[name] != nil:
		fail(tools[name](os.Args[1:]))
	default:
		fail(fmt.Errorf("no part of a control plane: %q", name))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
