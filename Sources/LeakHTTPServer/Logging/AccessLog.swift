internal import LeakPlatform

#if canImport(Darwin)
    internal import Darwin
    private let systemWrite = unsafe Darwin.write
    private let systemClose = Darwin.close
#else
    internal import Glibc
    private let systemWrite = unsafe Glibc.write
    private let systemClose = Glibc.close
#endif

/// A log that writes access records to a file descriptor on a separate thread, so that no loop waits for a pipe or a disk.
///
/// Lines wait in a buffer of bounded size. If the pipe or disk accepts bytes too slowly, further lines are dropped; so are
/// lines that cannot be written to a full disk. As soon as there is room again, a line reports the number of dropped lines.
public final class AccessLog: Sendable {
    /// The default size of the buffer in bytes: about five thousand lines.
    public static let defaultBufferBytes = 1 << 20

    private struct State {
        var lines: [UInt8] = []
        /// The number of dropped lines that have not been reported yet.
        var droppedCount = 0
        var isClosing = false
        var isDone = false
        /// The writer thread; `nil` after it was joined.
        var thread: WorkerThread?
    }

    private let format: AccessFormat
    private let bufferBytes: Int
    private let state: Guarded<State>

    /// Creates a log and starts its thread.
    ///
    /// - Parameters:
    ///   - descriptor: the target. The caller keeps its ownership and may close it: the log writes to a duplicate, which it closes
    ///     after the last line.
    ///   - format: the format of every line.
    ///   - bufferBytes: the most bytes of lines that may wait; further lines are dropped.
    public init(
        to descriptor: Int32, as format: AccessFormat, bufferBytes: Int = AccessLog.defaultBufferBytes
    ) {
        self.format = format
        self.bufferBytes = bufferBytes
        let state = Guarded(State())
        self.state = state
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        let thread = WorkerThread(name: "access-log") {
            Self.write(state, to: duplicate, as: format)
            _ = systemClose(duplicate)
        }
        state.with { $0.thread = thread }
    }

    deinit { askToClose() }

    /// Enqueues a record, from any thread. The calling thread formats the line.
    public func write(_ record: AccessRecord) {
        let line = format.line(record)
        let isFirst = state.with { state in
            guard !state.isClosing, state.lines.count + line.count <= bufferBytes else {
                state.droppedCount += 1
                return false
            }
            defer { state.lines += line }
            return state.lines.isEmpty
        }
        if isFirst { state.wakeAll() }
    }

    /// Writes the waiting lines and ends. Later records are dropped.
    ///
    /// - Returns: `true` if all lines were written in time. Otherwise the thread goes on writing the waiting lines, and ends after
    ///   them.
    @discardableResult
    public func close(within time: Duration) -> Bool {
        askToClose()
        let isDone = state.wait(milliseconds: Int64(time.milliseconds)) { $0.isDone ? true : nil } ?? false
        if isDone { state.with { $0.thread.take() }?.join() }
        return isDone
    }

    private func askToClose() {
        state.with { $0.isClosing = true }
        state.wakeAll()
    }

    private static func write(_ state: Guarded<State>, to descriptor: Int32, as format: AccessFormat) {
        var sink = LineSink { bytes throws(SystemError) in try writeAvailable(bytes, to: descriptor) }
        while true {
            let (lines, dropped): ([UInt8], Int) = state.wait { state in
                guard !state.lines.isEmpty || state.droppedCount > 0 || state.isClosing else {
                    return .sleep(milliseconds: nil)
                }
                defer { (state.lines, state.droppedCount) = ([], 0) }
                return .take((state.lines, state.droppedCount))
            }
            sink.write(lines)
            sink.addLost(dropped)
            sink.reportLost { format.line(dropped: $0, time: SystemTime.wall) }
            guard !lines.isEmpty || dropped > 0 else { break }
        }
        state.with { $0.isDone = true }
        state.wakeAll()
    }

    /// Writes some bytes and returns their number. Waits for room without a timeout. If writing is impossible, for example on a
    /// full disk or a pipe without a reader, it throws.
    private static func writeAvailable(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError)
        -> Int
    {
        while true {
            do throws(SystemError) {
                return try retryingOnInterrupt {
                    unsafe bytes.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
                }
            } catch {
                guard error == .wouldBlock else { throw error }
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe _ = poll(&request, 1, -1)
            }
        }
    }
}
