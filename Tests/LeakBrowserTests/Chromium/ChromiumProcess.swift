import Foundation
import LeakPlatform

/// A headless Chromium and the two pipes that control it.
///
/// With `--remote-debugging-pipe`, Chromium reads messages from descriptor 3 and answers on descriptor 4. A zero byte
/// ends each message. When this process ends, even by a crash, the pipe closes and Chromium ends too.
final class ChromiumProcess: Sendable {
    private struct Outbox {
        var messages: [Data] = []
        var isClosed = false
    }

    private let process: Process
    /// Folder of the browser profile. ``stop()`` removes it.
    private let profile: String
    private let outbox = Guarded(Outbox())
    private let writer: WorkerThread
    private let reader: WorkerThread

    /// Path of the program `chromium`; `nil` if no folder of PATH has it.
    static let program: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/chromium" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Starts Chromium.
    ///
    /// - Parameter receive: called with each message on one thread, and with `nil` after the last one.
    init(program: String, receive: @escaping @Sendable (Data?) -> Void) throws {
        let process = Process()
        let (commands, answers) = (Pipe(), Pipe())
        profile = NSTemporaryDirectory() + "chromium-\(UUID().uuidString)"
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // A process that Foundation starts gets only descriptors 0 to 2, so a shell copies two of them to 3 and 4.
        process.arguments =
            ["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", program] + Self.flags
            + ["--user-data-dir=\(profile)"]
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
        self.process = process

        let output = commands.fileHandleForWriting
        let outbox = outbox
        // The thread blocks signals, so a write to a Chromium that has ended fails without ending this process.
        writer = WorkerThread(name: "chromium-write") {
            while let message = Self.next(in: outbox) {
                do { try output.write(contentsOf: message) } catch { break }
            }
            try? output.close()
        }
        let input = answers.fileHandleForReading
        reader = WorkerThread(name: "chromium-read") {
            var buffer = Data()
            while case let more = input.availableData, !more.isEmpty {
                buffer += more
                guard more.contains(0) else { continue }
                var parts = buffer.split(separator: 0, omittingEmptySubsequences: false)
                buffer = Data(parts.removeLast())
                for part in parts { receive(Data(part)) }
            }
            receive(nil)
        }
    }

    private static func next(in outbox: Guarded<Outbox>) -> Data? {
        outbox.wait { outbox -> Guarded<Outbox>.WaitDecision<Data?> in
            if !outbox.messages.isEmpty { return .take(outbox.messages.removeFirst()) }
            return outbox.isClosed ? .take(nil) : .sleep(milliseconds: nil)
        }
    }

    func send(_ message: Data) {
        outbox.with { $0.messages.append(message + [0]) }
        outbox.wakeAll()
    }

    /// Ends the process and removes its profile. Blocks until the process has ended. Call once.
    func stop() {
        outbox.with { $0.isClosed = true }
        outbox.wakeAll()
        writer.join()
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        reader.join()
        try? FileManager.default.removeItem(atPath: profile)
    }

    private static let flags = [
        "--headless=new",
        // The sandbox refuses to start as root, which is the user in containers. Only our own pages are opened here.
        "--no-sandbox",
        "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--hide-scrollbars",
        "--no-first-run", "--mute-audio", "--force-color-profile=srgb",
        // Chromium must connect only to the collector.
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-default-apps", "--disable-extensions",
        // Going back loads a page again instead of showing a cached page.
        "--disable-features=BackForwardCache,Translate,OptimizationHints,MediaRouter",
    ]
}
