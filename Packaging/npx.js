#!/usr/bin/env node
// Runs the executable for this system. npm installs its package as an optional dependency; there is one package for each system.
const { spawn } = require("child_process");
const { constants, release } = require("os");
const { dirname, join } = require("path");

// Darwin 24 is macOS 15. An executable would end on an older system with a message of the loader.
if (process.platform === "darwin" && parseInt(release(), 10) < 24) {
  console.error(`swift-json-server: this needs macOS 15 or newer; this Mac has Darwin ${release()}, and macOS 15 is Darwin 24. Update macOS, or run the server in a container.`);
  process.exit(1);
}
const system = process.platform === "darwin" ? "darwin" : `${process.platform}-${process.arch}`;
const name = `swift-json-server-${system}`;
let program;
try {
  program = join(dirname(require.resolve(`${name}/package.json`)), "bin", "swift-json-server");
} catch {
  console.error(`swift-json-server: the package ${name} is not installed. There are packages for Linux and macOS on x64 and arm64; install them with npm's optional dependencies.`);
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) {
  process.on(signal, () => {
    // A terminal sends SIGINT and SIGHUP to the server, too; a second one would end the server immediately.
    if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", error => {
  console.error(`swift-json-server: ${error.message}`);
  process.exit(1);
});
child.on("exit", (status, signal) => process.exit(signal ? 128 + constants.signals[signal] : status));
