import Foundation
import Testing

@testable import LeakPlatform

@Suite struct StandardErrorTests {
    /// A thread that waits in `write` would never end.
    @Test func `a full pipe that nobody reads holds up nobody`() async {
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

    @Test func `a closed standard error ends nothing`() async {
        await #expect(processExitsWith: .success) {
            close(STDERR_FILENO)
            StandardError.write("lost")
            exit(0)
        }
    }
}
