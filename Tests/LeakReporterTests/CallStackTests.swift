import LeakGrammar
import LeakMessage
import Testing

@testable import LeakReporter

/// The call stack that the reporter captures.
@Suite struct CallStackTests {
    @inline(never)
    private static func capture(_ limit: Int = 64) -> [String] { LeakReporter.callStack(limit: limit) }

    @Test func `a captured call stack has names and offsets of images`() throws {
        let elements = Self.capture()
        #expect(elements.count > 3)
        for element in elements {
            let frame = try #require(CallFrame(element), "\(element)")
            #expect(frame.offset != nil && frame.module != nil && frame.function == nil)
        }
        // The first frame is the function above, in the image of the tests.
        let first = try #require(CallFrame(elements[0]))
        #expect(!first.isSystem)
        #expect(
            elements.contains { $0.contains("/libc.so") } || !elements.contains { $0.contains("libc.so") })
        #expect(CallStack(elements)?.frames.count == elements.count)
    }

    @Test func `the same source line gives the same frames in every captured call stack`() {
        let stacks = (0..<2).map { _ in Self.capture() }
        #expect(stacks[0] == stacks[1])
    }

    @Test(arguments: [(-1, 0), (0, 0), (1, 1), (3, 3)])
    func `a captured call stack has at most the requested number of frames`(limit: Int, count: Int) {
        #expect(Self.capture(limit).count == count)
    }

    @Test func `no captured call stack is longer than the wire format allows`() {
        func deeper(_ depth: Int) -> [String] {
            let stack = depth == 0 ? Self.capture(10_000) : deeper(depth - 1)
            return stack.isEmpty ? stack : stack + []
        }
        #expect(deeper(400).count <= WireLimits.stackCount)
    }

    @Test func `addresses outside of all images are left out of a captured call stack`() {
        #expect(LoadedImages.elements(of: [0, 1]).isEmpty)
    }
}
