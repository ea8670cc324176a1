import Foundation
import Testing

@testable import LeakPlatform

@Suite struct StandardErrorTests {
    /// If `write` blocked, the process of the test would never end.
    @Test func `writing to standard error does not block if it is a full pipe that is not read`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) == STDERR_FILENO else { exit(2) }
            StandardError.write("first")
            for _ in 0..<1_000 { StandardError.write(String(repeating: "x", count: 10_000)) }
            var text = [UInt8](repeating: 0, count: 8)
            guard unsafe read(ends[0], &text, 6) == 6 else { exit(3) }
            exit(Array(text.prefix(6)) == Array("first\n".utf8) ? 0 : 1)
        }
    }

    #if os(Linux)
        @Test func `writing to standard error does not block if it is a full terminal that is not read`()
            async
        {
            await #expect(processExitsWith: .success) {
                // TIOCSPTLCK and TIOCGPTN of the kernel's asm-generic/ioctls.h: Swift does not import them.
                let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
                let reader = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
                var (lock, number): (Int32, Int32) = (0, 0)
                guard unsafe ioctl(reader, unlock, &lock) == 0, unsafe ioctl(reader, getNumber, &number) == 0,
                    case let terminal = unsafe open("/dev/pts/\(number)", O_WRONLY | O_NOCTTY),
                    dup2(terminal, STDERR_FILENO) == STDERR_FILENO
                else { exit(2) }
                StandardError.write("first")
                for length in 0..<2_000 { StandardError.write(String(repeating: "x", count: length)) }
                var text = [UInt8](repeating: 0, count: 7)
                // A terminal turns the end of a line into two characters.
                guard unsafe read(reader, &text, 7) == 7, text == Array("first\r\n".utf8) else { exit(3) }
                // The descriptor, which the app may use itself, is still in blocking mode.
                exit(fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK == 0 ? 0 : 1)
            }
        }
    #endif

    @Test func `writing to a closed standard error does not end the process`() async {
        await #expect(processExitsWith: .success) {
            close(STDERR_FILENO)
            StandardError.write("lost")
            exit(0)
        }
    }
}
