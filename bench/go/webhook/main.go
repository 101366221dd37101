// Command webhook is the peer of bench/admission.py: an admission webhook that lets everything through and does nothing
// else. What it costs, any webhook costs.
//
// Its arguments are the files of its certificate and key. It first answers with its address, and ends when its input
// does.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
)

// review is what an answer needs of an AdmissionReview.
type review struct {
	Request struct {
		UID string `json:"uid"`
	} `json:"request"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: webhook CERTIFICATE KEY")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal(http.ServeTLS(listener, http.HandlerFunc(allow), os.Args[1], os.Args[2])) }()
	fmt.Printf("{\"url\": \"https://%s/\"}\n", listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func allow(w http.ResponseWriter, r *http.Request) {
	var asked review
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer := map[string]any{"uid": asked.Request.UID, "allowed": true}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": answer,
	})
}
