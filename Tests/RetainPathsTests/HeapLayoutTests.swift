import LeakMessage
import CLeakSwiftRuntime
import RetainScenarios
import Testing

@testable import RetainPaths

#if canImport(Glibc)
    import CLeakLinux
    import Glibc
#endif

private final class Node {
    var next: Node?
    weak var other: Node?
}

@Suite struct HeapLayoutTests {
    private func address(of object: AnyObject) -> UInt {
        unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    /// Allocators other than glibc's have other words before an allocation, so the finder checks in every process whether the
    /// words are sizes.
    @Test(
        arguments: [
            (0x21, 24), (0x31, 40), (0x112, 256), (0, -8), (1 << 40, nil), (UInt.max, nil), (1 << 63, nil),
        ] as [(UInt, Int?)])
    func `any word before an allocation gives the usable bytes of the allocation, or nil`(
        word: UInt, bytes: Int?
    ) {
        #expect(Allocator.usableBytes(ofChunk: word) == bytes)
    }

    /// Returns the word at an address, read as a walk reads it.
    private func word(_ address: UInt) -> UInt? {
        var memory = PageSnapshot()
        return memory.word(address)
    }

    private func layout(at address: UInt) -> ObjectLayout? {
        var reader = ObjectReader()
        return reader.layoutIndex(at: address).map { reader.layouts.layout($0) }
    }

    private func runtimeCount(_ address: UInt) -> Int {
        unsafe Int(cswift_retain_count(UnsafeMutableRawPointer(bitPattern: address)))
    }

    @Test(arguments: [false, true])
    func `strong reference counts equal those of the runtime`(hasSideTable: Bool) {
        let node = Node()
        if hasSideTable { node.other = node }
        let extra = unsafe (0..<Int.random(in: 1...50)).map { _ in unsafe Unmanaged.passRetained(node) }
        var reader = ObjectReader()
        let object = address(of: node)
        let counts = (reader.strongCount(at: object), runtimeCount(object))
        #expect(counts.0 == counts.1)
        let isInSideTable = reader.hasSideTable(at: address(of: node))
        #expect(isInSideTable == hasSideTable)
        unsafe extra.forEach { unsafe $0.release() }
        withExtendedLifetime(node) {}
    }

    @Test func `static objects have no reference count`() {
        var reader = ObjectReader()
        let empty = unsafe unsafeBitCast([Node](), to: UInt.self)
        let count = reader.strongCount(at: empty)
        #expect(count == nil)
    }

    @Test func `count and capacity are read from the storage of an array`() throws {
        var array = (0..<5).map { _ in Node() }
        array.reserveCapacity(100)
        let storage = unsafe unsafeBitCast(array, to: UInt.self)
        #expect(word(storage &+ HeapLayout.ArrayStorage.count) == 5)
        #expect(
            word(storage &+ HeapLayout.ArrayStorage.capacityAndFlags).map { Int($0 >> 1) } == array.capacity)
        #expect(word(storage &+ UInt(HeapLayout.ArrayStorage.elements)) == address(of: array[0]))
        #expect(layout(at: storage)?.elements == .array)
        withExtendedLifetime(array) {}
    }

    @Test func `count and capacity are read from the storage of dictionaries and sets`() throws {
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, Node()) })
        let set = Set(0..<10)
        let storages = unsafe [unsafeBitCast(dictionary, to: UInt.self), unsafeBitCast(set, to: UInt.self)]
        for (storage, elements) in zip(storages, [ObjectLayout.Elements.dictionary, .none]) {
            #expect(word(storage &+ HeapLayout.HashStorage.count) == 10)
            #expect(word(storage &+ HeapLayout.HashStorage.capacity).map { $0 >= 10 } == true)
            #expect(layout(at: storage)?.kind == .storage)
            #expect(layout(at: storage)?.elements == elements)
        }
        withExtendedLifetime((dictionary, set)) {}
    }

    @Test func `long strings are objects, short strings are not`() throws {
        let number = Int.random(in: 1000...9999)
        func object(_ text: String) -> UInt {
            unsafe unsafeBitCast(text, to: (UInt, UInt).self).1
        }
        let long = "a text that does not fit into two words \(number)"
        #expect(object(long) & HeapLayout.StringValue.discriminatorMask == 0)
        #expect(layout(at: object(long)) != nil)
        #expect(object("\(number)") & HeapLayout.StringValue.discriminatorMask != 0)
        #expect(
            object("a text of the program, which is static") & HeapLayout.StringValue.discriminatorMask != 0)
        withExtendedLifetime(long) {}
    }

    @Test func `metadata of task slabs and of heap blocks is found`() {
        #expect(Reflection.taskSlabMetadata != 0)
        #expect(Reflection.heapBlockClass != 0)
    }

    #if canImport(Glibc)
        @Test(arguments: [16, 24, 25, 100, 1_000, 4_096, 100_000, 500_000])
        func `the word before an allocation is the size of its chunk`(count: Int) throws {
            guard Allocator.hasChunkHeaders else { return }
            let allocated = unsafe malloc(count)
            let memory = try unsafe #require(allocated)
            defer { unsafe free(memory) }
            var reader = ObjectReader()
            let address = UInt(bitPattern: memory)
            let chunk = reader.chunkBytes(at: address)
            let bytes = try #require(chunk)
            let usable = unsafe malloc_usable_size(memory)
            #expect((usable + 8...usable + 16).contains(bytes))
        }

        /// The allocator may return a larger chunk if the rest would be too small for another chunk.
        @Test func `a side table takes a chunk of the expected size`() {
            guard Allocator.hasChunkHeaders else { return }
            typealias Count = HeapLayout.ReferenceCount
            let nodes = (0..<20).map { _ in Node() }
            for node in nodes { node.other = node }
            var reader = ObjectReader()
            let sizes = nodes.compactMap { node in
                let bits = UInt64(word(address(of: node) &+ Count.word) ?? 0)
                return reader.chunkBytes(at: UInt((bits & Count.sideTableMask) << Count.sideTableShift))
            }
            #expect(sizes.count == nodes.count && sizes.min() == Count.sideTableChunkBytes)
            withExtendedLifetime(nodes) {}
        }
    #endif
}
