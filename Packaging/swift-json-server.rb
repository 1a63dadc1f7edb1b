# A release adds `url` and `sha256`, and publishes this file in the tap repository OWNER/homebrew-tap, as
# Formula/swift-json-server.rb (see .github/CONTRIBUTING.md). From there it is installed:
#   brew install OWNER/tap/swift-json-server
# `--HEAD` installs what has not been released yet.
class SwiftJsonServer < Formula
  desc "Serves a JSON file as a REST API, and writes every change back"
  homepage "https://github.com/OWNER/swift-json-server"
  license "MIT"
  head "https://github.com/OWNER/swift-json-server.git", branch: "main"

  # Executables of Xcode 26.0 do not find the library for spans on older systems.
  depends_on xcode: ["26.1", :build]
  uses_from_macos "swift" => :build
  uses_from_macos "zlib"

  def install
    arguments = ["--disable-sandbox", "--configuration", "release", "--traits", "HTTPS"]
    arguments << "--static-swift-stdlib" if OS.linux?
    system "swift", "build", *arguments, "--product", "swift-json-server"
    bin.install ".build/release/swift-json-server"
    man1.install "Packaging/swift-json-server.1"
    generate_completions_from_executable(bin/"swift-json-server", "--generate-completion-script")
  end

  test do
    (testpath/"database.json").write '{"posts": [{"id": 1, "title": "Hello"}]}'
    command = "curl --silent --fail $JSON_SERVER_URL/posts/1"
    output = shell_output("#{bin}/swift-json-server database.json --port 0 --quiet --exec '#{command}'")
    assert_match "Hello", output
  end
end
