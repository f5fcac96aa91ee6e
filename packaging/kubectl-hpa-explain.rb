# Homebrew's formula, as a template: scripts/release fills in the version and the
# checksums of the archives.
class KubectlHpaExplain < Formula
  desc "Explain why a Kubernetes HorizontalPodAutoscaler runs N replicas"
  homepage "https://github.com/kubectl-hpa-explain/kubectl-hpa-explain"
  version "{{ version }}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/kubectl-hpa-explain/kubectl-hpa-explain/releases/download/v#{version}/kubectl-hpa-explain_v#{version}_darwin_arm64.tar.gz"
      sha256 "{{ darwin_arm64 }}"
    end
    on_intel do
      url "https://github.com/kubectl-hpa-explain/kubectl-hpa-explain/releases/download/v#{version}/kubectl-hpa-explain_v#{version}_darwin_amd64.tar.gz"
      sha256 "{{ darwin_amd64 }}"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/kubectl-hpa-explain/kubectl-hpa-explain/releases/download/v#{version}/kubectl-hpa-explain_v#{version}_linux_arm64.tar.gz"
      sha256 "{{ linux_arm64 }}"
    end
    on_intel do
      url "https://github.com/kubectl-hpa-explain/kubectl-hpa-explain/releases/download/v#{version}/kubectl-hpa-explain_v#{version}_linux_amd64.tar.gz"
      sha256 "{{ linux_amd64 }}"
    end
  end

  def install
    # kubectl finds both by these names.
    bin.install "kubectl-hpa_explain", "completions/kubectl_complete-hpa_explain"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/kubectl-hpa_explain.bash" => "kubectl-hpa_explain"
    zsh_completion.install "completions/_kubectl-hpa_explain"
    fish_completion.install "completions/kubectl-hpa_explain.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/kubectl-hpa_explain --version")
    assert_match "stays at 2", shell_output("#{bin}/kubectl-hpa_explain demo foreign-pod-without-request")
  end
end
