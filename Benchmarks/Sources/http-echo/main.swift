// A server with one handler, for test suites, fuzzers and load generators.

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import EchoService
import LeakHTTPServer

let usage = """
    usage: http-echo [--host HOST] [--port PORT] [--workers COUNT] [--files FOLDER]
                     [--observers on|off] [--access-log FILE]

    Answers every known method but TRACE and CONNECT, on every path, with 200 and the request's body.

      --host HOST      where to listen; * is every address of both families (default 127.0.0.1)
      --port PORT      0 takes any free port (default 8080)
      --workers COUNT  threads, each with a loop of its own (default 1)
      --files FOLDER   responds to the paths of files in FOLDER with the file
      --observers on|off  access log and hook for slow calls, and a thread that reads the counters (default on)
      --access-log FILE   where the access log goes (default /dev/null)

    The first line on standard output is "listening on http://HOST:PORT". Exits with 0 after SIGTERM or SIGINT, and at
    once after a second signal. Exits with 1 if the observers were called for another number of responses than the
    server counted.
    """

func fail(_ message: String) -> Never {
    print("http-echo: \(message)\n\n\(usage)")
    exit(64)
}

var configuration = Server.Configuration()
var folder: String?
var isObserved = true
var accessLog = "/dev/null"
var arguments = CommandLine.arguments.dropFirst()
while let flag = arguments.popFirst() {
    if flag == "--help" {
        print(usage)
        exit(0)
    }
    guard let value = arguments.popFirst() else { fail("\(flag) needs a value") }
    switch (flag, Int(value)) {
    case ("--host", _): configuration.host = value
    case ("--port", .some(let port)): configuration.port = port
    case ("--workers", .some(let count)) where count > 0: configuration.loops = count
    case ("--files", _): folder = value
    case ("--observers", _) where value == "on" || value == "off": isObserved = value == "on"
    case ("--observers", _): fail("--observers \(value): must be on or off")
    case ("--access-log", _): accessLog = value
    case ("--port", nil), ("--workers", _): fail("\(flag) \(value): not a number that can be used")
    default: fail("\(flag) is not an option")
    }
}

let signals = StopSignals()

do {
    let files = try folder.map { folder throws(StaticFilesError) in try StaticFiles(folder: folder) }
    var observation: Observation?
    if isObserved {
        guard let opened = Observation(logAt: accessLog) else { fail("\(accessLog) cannot be opened") }
        opened.observe(&configuration)
        observation = opened
    }
    let server = try Server(configuration, service: Echo(files: files))
    server.start()
    let reading =
        !isObserved
        ? nil
        : Task.detached {
            while !Task.isCancelled {
                _ = server.counters
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    print("listening on http://\(configuration.host):\(server.port)")
    fflush(nil)
    signals.wait()
    signals.endAtOnce()
    server.stop(within: .seconds(5))
    reading?.cancel()
    if let difference = observation?.difference(from: server.counters) {
        print("http-echo: the observers were \(difference)")
        exit(1)
    }
} catch {
    print("http-echo: \(error)")
    exit(1)
}
