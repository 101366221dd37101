package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const lifetime = 30 * 24 * time.Hour

// authority signs the certificates of one control plane. Its key is not kept.
type authority struct {
	folder      string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// keys FOLDER writes what one control plane needs: the authority's certificate (ca.crt), the API server's
// (apiserver.crt, apiserver.key), that of a user "admin" of system:masters (admin.crt, admin.key), and the key
// that signs service account tokens (service-accounts.key).
func keys(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: controlplane keys FOLDER")
	}
	ca, err := newAuthority(args[0])
	if err != nil {
		return err
	}
	loopback := x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	admin := x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	_, err = newKey(filepath.Join(args[0], "service-accounts.key"))
	return errors.Join(err, ca.issue("apiserver", &loopback), ca.issue("admin", &admin))
}

func newAuthority(folder string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := dated(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "control plane of a test"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{folder: folder, certificate: certificate, key: key}, write(folder, "ca.crt", "CERTIFICATE", der)
}

func (a *authority) issue(name string, template *x509.Certificate) error {
	key, err := newKey(filepath.Join(a.folder, name+".key"))
	if err != nil {
		return err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, dated(template), a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return err
	}
	return write(a.folder, name+".crt", "CERTIFICATE", der)
}

func dated(template *x509.Certificate) *x509.Certificate {
	now := time.Now()
	template.SerialNumber = big.NewInt(now.UnixNano())
	template.NotBefore = now.Add(-time.Hour)
	template.NotAfter = now.Add(lifetime)
	return template
}

func newKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, write(filepath.Dir(path), filepath.Base(path), "EC PRIVATE KEY", der)
}

func write(folder, name, kind string, der []byte) error {
	return os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
