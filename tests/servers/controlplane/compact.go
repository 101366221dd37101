package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// compactRevKey is where kube-apiserver's own compactor writes what it compacts, and where every apiserver looks.
const compactRevKey = "compact_rev_key"

// compact ENDPOINT [REVISION] forgets etcd's history up to the revision (the current one if none is given) as
// kube-apiserver's compactor does, and prints the revision.
func compact(args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return errors.New("usage: controlplane compact ENDPOINT [REVISION]")
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: args[:1], DialTimeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	revision, err := upTo(ctx, client, args[1:])
	if err != nil {
		return err
	}
	if _, err = client.Put(ctx, compactRevKey, strconv.FormatInt(revision, 10)); err != nil {
		return err
	}
	if _, err = client.Compact(ctx, revision, clientv3.WithCompactPhysical()); err != nil {
		return err
	}
	fmt.Println(revision)
	return nil
}

func upTo(ctx context.Context, client *clientv3.Client, given []string) (int64, error) {
	if len(given) == 1 {
		return strconv.ParseInt(given[0], 10, 64)
	}
	answer, err := client.Get(ctx, compactRevKey)
	if err != nil {
		return 0, err
	}
	return answer.Header.Revision, nil
}
