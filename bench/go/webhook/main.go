// Command webhook is the peer of bench/admission.py: an admission webhook that lets everything through at /allow, and
// gives every pod the same condition at /mark. What it costs, any webhook costs.
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

// mark is for pods without conditions.
const mark = `[{"op": "add", "path": "/status/conditions", "value": [{"type": "example.dev/Marked", "status": "True",
	"reason": "node", "message": "as long as those of the agent are, about", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}]`

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
	http.HandleFunc("/allow", func(w http.ResponseWriter, r *http.Request) { answer(w, r, nil) })
	http.HandleFunc("/mark", func(w http.ResponseWriter, r *http.Request) { answer(w, r, []byte(mark)) })
	go func() { log.Fatal(http.ServeTLS(listener, nil, os.Args[1], os.Args[2])) }()
	fmt.Printf("{\"url\": \"https://%s\"}\n", listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func answer(w http.ResponseWriter, r *http.Request, patch []byte) {
	var asked review
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	response := map[string]any{"uid": asked.Request.UID, "allowed": true}
	if patch != nil {
		response["patchType"], response["patch"] = "JSONPatch", patch
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response,
	})
}
