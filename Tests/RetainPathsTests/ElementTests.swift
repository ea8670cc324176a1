import LeakMessage
import Testing

@testable import RetainPaths

/// Elements of inline arrays, managed buffers and streams.
@Suite struct ElementTests {
    private final class Page: @unchecked Sendable {
        var pair: InlineArray<3, Page?> = [nil, nil, nil]
        var named: InlineArray<2, (String, Page?)>?
        var buffer: ManagedBuffer<Int, Page?>?
        var numbers: ManagedBuffer<Int, Int>?
        var stream: AsyncStream<Page>?
    }

    private final class OwnBuffer: ManagedBuffer<Int, Page> {}

    private func path(_ page: Page) throws -> RetainPath? {
        let finder = try #require(TestFinder.shared)
        let reference = unsafe Unmanaged.passUnretained(page)
        return unsafe finder.explain(UnsafeRawPointer(reference.toOpaque()), callerReferences: 1).path
    }

    @Test func `elements of an inline array are references`() throws {
        let page = Page()
        page.pair[2] = page
        let direct = try #require(try path(page))
        #expect(direct.description == "ElementTests.Page.pair → ElementTests.Page" && !direct.isSuspected)
        page.pair[2] = nil
        page.named = [("a text that does not fit into two words", nil), ("", page)]
        let nested = try #require(try path(page))
        #expect(nested.description.hasPrefix("ElementTests.Page.named"))
        #expect(nested.isCycle && !nested.isSuspected)
        page.named = nil
        #expect(try path(page) == nil)
    }

    // Only the buffer's owner knows the number of elements, and memory after the last element may be garbage.
    @Test(.enabled(if: Allocator.hasChunkHeaders))
    func `elements of a managed buffer are suspected references`() throws {
        let page = Page()
        let buffer = ManagedBuffer<Int, Page?>.create(minimumCapacity: 8) { _ in 0 }
        unsafe buffer.withUnsafeMutablePointerToElements { elements in
            unsafe elements.initialize(repeating: nil, count: 8)
            unsafe elements[5] = page
        }
        page.buffer = buffer
        let found = try #require(try path(page))
        #expect(found.isCycle && found.isSuspected)
        #expect(found.description.hasPrefix("ElementTests.Page.buffer → ManagedBuffer<"))
        unsafe buffer.withUnsafeMutablePointerToElements { unsafe $0[5] = nil }
        #expect(try path(page) == nil)
    }

    @Test(.enabled(if: Allocator.hasChunkHeaders))
    func `elements of a ManagedBuffer subclass are read, and elements of a buffer of numbers are not`() throws
    {
        let page = Page()
        let own = OwnBuffer.create(minimumCapacity: 4) { _ in 0 }
        unsafe own.withUnsafeMutablePointerToElements { unsafe $0.initialize(to: page) }
        let reference = unsafe Unmanaged.passUnretained(own)
        let finder = try #require(TestFinder.shared)
        page.numbers = ManagedBuffer<Int, Int>.create(minimumCapacity: 4) { _ in 0 }
        let address = Int(bitPattern: ObjectIdentifier(page))
        unsafe page.numbers?.withUnsafeMutablePointerToElements {
            unsafe $0.initialize(repeating: address, count: 4)
        }
        #expect(try path(page) == nil)
        page.numbers = nil
        let isFound = finder.withWalker { walker in
            _ = walker.walk(from: unsafe UInt(bitPattern: reference.toOpaque()), budget: .release)
            return walker.graph.index(of: UInt(bitPattern: address)) != nil
        }
        #expect(isFound)
        withExtendedLifetime(own) {}
    }

    @Test(.enabled(if: Allocator.hasChunkHeaders))
    func `elements that wait in an unread stream are found`() throws {
        let page = Page()
        let (stream, continuation) = AsyncStream<Page>.makeStream()
        page.stream = stream
        continuation.yield(page)
        let found = try #require(try path(page))
        #expect(found.isCycle && found.description.hasPrefix("ElementTests.Page.stream"), "\(found)")
        page.stream = nil
    }
}
