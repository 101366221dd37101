package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// dieWithParent has the kernel kill this process when the process named in CONTROLPLANE_PARENT (a process id) ends,
// however it ends. Strictly it is the thread that started this process whose end counts (prctl(2), PR_SET_PDEATHSIG).
func dieWithParent() error {
	text, ok := os.LookupEnv("CONTROLPLANE_PARENT")
	if !ok {
		return nil
	}
	parent, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("CONTROLPLANE_PARENT: %w", err)
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0); errno != 0 {
		return fmt.Errorf("prctl: %w", errno)
	}
	if os.Getppid() != parent { // it ended before the kernel was asked
		return fmt.Errorf("process %d, which started this one, is gone", parent)
	}
	return nil
}
