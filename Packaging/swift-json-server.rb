# Homebrew's formula, which installs a released archive. `Packaging/make-release formula` names the version and the sums;
# Packaging/README.md says where the formula is published.
class SwiftJsonServer < Formula
  desc "Serves a JSON file as a REST API, and writes every change back"
  homepage "https://github.com/OWNER/swift-json-server"
  version "VERSION"
  license "MIT"

  on_macos do
    url "https://github.com/OWNER/swift-json-server/releases/download/VERSION/swift-json-server-VERSION-macos-universal.tar.gz"
    sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    depends_on macos: :sequoia
  end

  on_linux do
    on_intel do
      url "https://github.com/OWNER/swift-json-server/releases/download/VERSION/swift-json-server-VERSION-linux-x86_64.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
    on_arm do
      url "https://github.com/OWNER/swift-json-server/releases/download/VERSION/swift-json-server-VERSION-linux-aarch64.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  def install
    bin.install "bin/swift-json-server"
    man1.install "share/man/man1/swift-json-server.1"
    bash_completion.install "share/bash-completion/completions/swift-json-server"
    zsh_completion.install "share/zsh/site-functions/_swift-json-server"
    fish_completion.install "share/fish/vendor_completions.d/swift-json-server.fish"
  end

  test do
    (testpath/"database.json").write '{"posts": [{"id": 1, "title": "Hello"}]}'
    command = "curl --silent --fail $JSON_SERVER_URL/posts/1"
    output = shell_output("#{bin}/swift-json-server database.json --port 0 --quiet --exec '#{command}'")
    assert_match "Hello", output
  end
end
