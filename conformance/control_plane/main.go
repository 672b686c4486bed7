// Command judge is a control plane without kubelets, of the release that it is built with: its first argument names the server that it is.
package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// commands are made only where they are asked for: each of them sets feature gates of the whole process.
var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

func main() {
	name := os.Args[1]
	os.Args = os.Args[1:]
	if command := commands[name]; command != nil {
		os.Exit(cli.Run(command()))
	}
	done := map[string]func() error{"etcd": etcd, "key": key}[name]
	if err := done(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// etcd serves the folder of its first argument at the addresses of the other two, for clients and for peers.
func etcd() error {
	config := embed.NewConfig()
	config.Dir = os.Args[1]
	clients, err := url.Parse(os.Args[2])
	if err != nil {
		return err
	}
	peers, err := url.Parse(os.Args[3])
	if err != nil {
		return err
	}
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*clients}, []url.URL{*clients}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peers}, []url.URL{*peers}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.UnsafeNoFsync = true // it lives for one recording
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	return <-server.Err()
}

// key writes a key that signs the tokens of service accounts.
func key() error {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(made)}
	return os.WriteFile(os.Args[1], pem.EncodeToMemory(block), 0o600)
}
