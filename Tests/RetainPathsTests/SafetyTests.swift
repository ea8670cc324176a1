import Foundation
import LeakMessage
import LeakPlatform
import Testing

@testable import RetainPaths

#if canImport(Glibc)
    import CLeakLinux
    import Glibc
#endif

private final class Plain { var number = 1 }
private enum Choice {
    case object(Plain)
    case pair(Int, Plain)
    case none
}
private struct Tree {
    var value: Plain
    var children: [Tree]
}
private struct Forest {
    var trees: [String: Tree]
    var inner: [Forest]
    var value: Plain
}
private class Pair<First, Second> {
    var first: First
    var second: Second
    init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }
}
private final class NamedPair: Pair<Plain, Int> {}
private final class Holder<Value> {
    var closure: (() -> Void)?
    var value: Value
    init(_ value: Value) { self.value = value }

    func bind<First, Second>(_ pair: Pair<First, Second>) {
        closure = { use((self, pair)) }
    }
}
@inline(never) private func use<T>(_ value: T) {}

private final class Pack<each Value> {
    var values: (repeat each Value)
    init(_ values: repeat each Value) { self.values = (repeat each values) }
}
/// Closures whose captures have types with parameter packs.
private final class Variadic {
    var closures: [() -> Void] = []

    func bind<First, each Rest>(_ first: First, _ rest: repeat each Rest) {
        let (tuple, pack) = ((repeat each rest), Pack(repeat each rest))
        let nested = Pack(first, repeat each rest)
        let map: (First) -> (repeat each Rest) = { _ in (repeat each rest) }
        closures.append { [self] in use((self, tuple)) }
        closures.append { [self] in use((self, first, tuple)) }
        closures.append { [self] in use((self, pack)) }
        closures.append { [self] in use((self, first, pack)) }
        closures.append { [self] in use((self, first, nested)) }
        closures.append { [self] in use((self, first, map)) }
        closures.append { [self] in
            use((self, first)); use((repeat each rest))
        }
        closures.append { [self] in use((self, Pair(first, tuple))) }
        closures.append { [self] in use((self, [tuple], first)) }
    }

    func bind<each Value: Sendable>(pack: Pack<repeat each Value>, pair: Pair<Int, (repeat each Value)>) {
        closures.append { [self] in use((self, pack)) }
        closures.append { [self] in use((self, pair)) }
        closures.append { [self] in use((self, pair, pack)) }
    }

    func bind<let count: Int, Value>(_ array: InlineArray<count, Value>, _ value: Value) {
        closures.append { [self] in use((self, array[0], value)) }
        closures.append { [self] in use((self, Pair(array[0], value))) }
    }
}

/// Closures whose captures have types that are members of a type parameter.
private final class Feed<Items: Sequence> {
    var closures: [() -> Void] = []

    func bind(_ first: Items.Element, _ items: Items) {
        closures.append { [self] in use((first, self)) }
        closures.append { [self] in use((first, items, self)) }
        closures.append { [self] in use((self, first)) }
    }

    func bind<Others: Collection>(
        _ first: Items.Element, _ index: Others.Index, _ pair: Pair<Items, Others.SubSequence>,
        others: Others.Type
    ) {
        closures.append { [self] in use((index, first, self)) }
        closures.append { [self] in use((index, pair, self)) }
        closures.append { [self] in
            use((pair, index)); use(self)
        }
    }
}

@Suite struct SafetyTests {
    /// The runtime ends the process if it does not know the type parameter (`createDependentMemberType` in MetadataLookup.cpp).
    @Test
    func `a closure that captures members of type parameters is explained, and does not crash the process`()
        async
    {
        await #expect(processExitsWith: .success) {
            let finder = try #require(RetainPathFinder())
            let feed = Feed<[Plain]>()
            feed.bind(Plain(), [Plain(), Plain()])
            feed.bind(Plain(), "a".startIndex, Pair([Plain()], Substring("abc")), others: String.self)
            let numbers = Feed<Range<Int>>()
            numbers.bind(1, 0..<9)
            numbers.bind(1, 2, Pair(0..<9, [Plain()][...]), others: [Plain].self)
            for object in [feed, numbers] as [AnyObject] {
                let reference = unsafe Unmanaged.passRetained(object)
                for search in [[], .heap] as [HolderSearch] {
                    var finder = finder
                    finder.search = search
                    let address = unsafe UnsafeRawPointer(reference.toOpaque())
                    #expect(unsafe finder.explain(address, callerReferences: 1).path?.isCycle == true)
                }
            }
        }
    }

    /// The runtime ends the process if a mangled name has a parameter pack and its argument is a type.
    @Test func `a closure that captures parameter packs is explained, and does not crash the process`() async
    {
        await #expect(processExitsWith: .success) {
            let finder = try #require(RetainPathFinder())
            let owner = Variadic()
            let pair = Pair(Plain(), "a")
            owner.bind(Plain(), 1, "a text that does not fit into two words", pair)
            owner.bind(1)
            owner.bind(pair, pair)
            owner.bind(pack: Pack(1, "a"), pair: Pair(1, (1, "a")))
            owner.bind(pack: Pack(), pair: Pair(1, ()))
            owner.bind([1, 2, 3], 4)
            owner.bind([pair, pair], pair)
            let reference = unsafe Unmanaged.passRetained(owner)
            let explanation = unsafe finder.explain(
                UnsafeRawPointer(reference.toOpaque()), callerReferences: 1)
            // Only glibc's allocator provides the length of a context that must be searched.
            #expect(explanation.path?.isCycle == true || !Allocator.hasChunkHeaders)
        }
    }

    private let images = ImageAddressMap()

    @Test func `the memory between segments belongs to no image`() {
        typealias Segment = ImageAddressMap.Segment
        let images = ImageAddressMap(
            version: 1,
            images: [
                .init(
                    segments: [
                        Segment(
                            addresses: 0x1000..<0x2000, isReadable: true, isWritable: false,
                            isExecutable: true),
                        Segment(
                            addresses: 0x4000..<0x5000, isReadable: true, isWritable: true,
                            isExecutable: false),
                        Segment(
                            addresses: 0x6000..<0x7000, isReadable: false, isWritable: false,
                            isExecutable: false),
                    ], base: 0x1000, name: "library", identifier: nil, isProgram: false)
            ])
        #expect(images.contains(0x1FFF))
        #expect(!images.contains(0x2000))
        #expect(!images.contains(0x3000))
        #expect(images.contains(0x4FF8, count: 8))
        #expect(!images.contains(0x4FF8, count: 9))
        #expect(!images.contains(0x4FF8, count: .max))
        #expect(!images.contains(0x6000))
        #expect(images.isCode(0x1800))
        #expect(!images.isCode(0x4800))
        #expect(images.offset(of: 0x4800)?.offset == 0x3800)
        #expect(images.offset(of: 0x3000) == nil)
    }

    @Test func `the case of an enum whose witness functions are not executable is not read`() throws {
        try unsafe withCopy(of: Choice.self) { metadata, witnesses in
            var layouts = TypeLayouts(images)
            #expect(!layouts.layout(of: metadata).referenceFields.isEmpty)
            typealias Table = MetadataLayout.ValueWitnessTable
            for offset in [Table.enumTag, Table.projectEnumData] {
                let function = unsafe witnesses.load(fromByteOffset: Int(offset), as: UInt.self)
                unsafe witnesses.storeBytes(
                    of: UInt(bitPattern: witnesses), toByteOffset: Int(offset), as: UInt.self)
                var layouts = TypeLayouts(images)
                #expect(layouts.layout(of: metadata).referenceFields.isEmpty)
                unsafe witnesses.storeBytes(of: function, toByteOffset: Int(offset), as: UInt.self)
            }
        }
    }

    /// Calls `body` with copies of an enum's metadata and value witnesses, which it may change.
    private func withCopy(
        of type: Any.Type, _ body: (Metadata, UnsafeMutableRawPointer) throws -> Void
    ) throws {
        let original = Metadata(type)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 16)
        defer { unsafe memory.deallocate() }
        let witnesses = unsafe memory + 64
        for index in 0..<8 {
            let word = ImmortalMemory.word(original.address &+ UInt(8 * index))
            unsafe memory.storeBytes(of: word, toByteOffset: 8 + 8 * index, as: UInt.self)
        }
        unsafe memory.storeBytes(of: UInt(bitPattern: witnesses), as: UInt.self)
        let table = try #require(original.valueWitnesses).table
        for index in 0..<16 {
            let word = ImmortalMemory.word(table &+ UInt(8 * index))
            unsafe witnesses.storeBytes(of: word, toByteOffset: 8 * index, as: UInt.self)
        }
        try unsafe body(Metadata(UInt(bitPattern: memory) &+ 8), witnesses)
    }

    @Test(arguments: [
        [UInt8](arrayLiteral: 1, 0x40, 0x42, 0x0F, 0),  // a descriptor far away
        [2, 0x40, 0x42, 0x0F, 0],
        [9, 0x40, 0x42, 0x0F, 0],  // a function that the runtime would call
        [3, 1, 0, 0, 0],
        [0x18, 1, 1, 1, 1, 1, 1, 1, 1],
        [0xC3, 0xA4],
        [],
    ])
    func `a type name with an invalid reference is not passed to the runtime`(bytes: [UInt8]) {
        unsafe (bytes + [0]).withUnsafeBufferPointer { bytes in
            let start = UInt(bitPattern: bytes.baseAddress)
            let all = ImageAddressMap(
                version: 1,
                images: [
                    .init(
                        segments: [
                            .init(
                                addresses: start..<(start + UInt(bytes.count)), isReadable: true,
                                isWritable: false,
                                isExecutable: false)
                        ], base: 0, name: nil, identifier: nil, isProgram: false)
                ])
            #expect(!MangledName(start).isSafe(all))
        }
    }

    @Test func `a capture descriptor with more captures than its memory holds is rejected`() {
        let words: [UInt32] = [3, 0, 0, 0]
        unsafe words.withUnsafeBytes { bytes in
            let start = UInt(bitPattern: bytes.baseAddress)
            #expect(CaptureDescriptor(start, images) == nil)
            let own = ImageAddressMap(
                version: 1,
                images: [
                    .init(
                        segments: [
                            .init(
                                addresses: start..<(start + 16), isReadable: true, isWritable: false,
                                isExecutable: false)
                        ], base: 0, name: nil, identifier: nil, isProgram: false)
                ])
            // Three captures do not fit into 16 bytes.
            #expect(CaptureDescriptor(start, own) == nil)
        }
    }

    @Test func `metadata is accepted only where the compiler or the runtime has put it`() throws {
        var reader = ObjectReader()
        for type: Any.Type in [Choice.self, [Int: Plain].self, Pair<Int, Plain>.self, NamedPair.self] {
            let isAccepted = reader.isType(Metadata(type).address)
            #expect(isAccepted, "\(type)")
        }
        try unsafe withCopy(of: Choice.self) { metadata, _ in
            var reader = ObjectReader()
            let isAccepted = reader.isType(metadata.address)
            #expect(!isAccepted)
        }
    }

    /// Runs in a separate process, because a fault would end it. Covers all segments if `RETAIN_FUZZ_SECONDS` is set.
    @Test func `words of an image that are mistaken for metadata cause no crash`() async {
        await #expect(processExitsWith: .success) {
            let isLong = ProcessInfo.processInfo.environment["RETAIN_FUZZ_SECONDS"] != nil
            let objects = WordObjects()
            var (words, accepted) = (0, 0)
            for image in ImageAddressMap().images {
                for segment in image.segments where segment.isReadable && (isLong || segment.isWritable) {
                    var word = (segment.addresses.lowerBound + 7) & ~7
                    while word < segment.addresses.upperBound {
                        let count = min(WordObjects.count, Int(segment.addresses.upperBound - word + 7) / 8)
                        accepted += objects.walk(from: word, count: count)
                        words += count
                        word += UInt(8 * count)
                    }
                }
            }
            print("\(words) words, \(accepted) accepted")
            #expect(accepted > 1000)
        }
    }

    #if canImport(Glibc)
        private final class Link {
            let next: AnyObject?

            init(_ next: AnyObject?) { self.next = next }
        }

        /// Runs in a separate process, because a fault would end it.
        @Test(.enabled(if: Allocator.hasChunkHeaders))
        func `loading or unloading a library during a heap search does not crash`() async {
            await #expect(processExitsWith: .success) {
                let target = Link(nil)
                var first = target
                for _ in 0..<6 { first = Link(first) }
                let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(target).toOpaque())
                var finder = try #require(RetainPathFinder())
                (finder.budget, finder.search) = (.thorough, .heap)
                let isDone = Guarded(false)
                // A library of glibc that this process does not use otherwise.
                let started = WorkerThread.start(name: "Libraries") {
                    while !isDone.with({ $0 }) {
                        if let library = unsafe dlopen("libthread_db.so.1", RTLD_NOW) {
                            unsafe dlclose(library)
                        }
                    }
                }
                #expect(started)
                for _ in 0..<20 { _ = unsafe finder.explain(address, callerReferences: 1) }
                isDone.with { $0 = true }
                withExtendedLifetime(first) {}
            }
        }
    #endif

    @Test func `a budget with the largest numbers does not cause an overflow`() throws {
        var budget = Budget.thorough
        (budget.objects, budget.buffers) = (.max, .max)
        (budget.cycleLength, budget.cycles, budget.pageBytes) = (.max, .max, .max)
        var walker = GraphWalker()
        let object = Plain()
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        let explanation = walker.explanation(address, callerReferences: 1, budget: budget)
        #expect(explanation.cost?.objects == 1)
        #expect(explanation.cost?.isAtLeast == false)
        let reference = ReferenceField(kind: .strong, offset: .max, label: 0)
        #expect(reference.moved(by: .max, label: 0).offset == reference.offset &- 1)
        withExtendedLifetime(object) {}
    }

    @Test
    func `the layout of a type has all its references, even if it contains an array or dictionary of itself`()
    {
        var layouts = TypeLayouts(images)
        let forest = layouts.layout(of: Metadata(Forest.self))
        #expect(
            layouts.referenceFields(in: forest.referenceFields).map(\.kind) == [.strong, .strong, .strong])
        let tree = layouts.layout(of: Metadata(Tree.self))
        #expect(layouts.referenceFields(in: tree.referenceFields).map(\.kind) == [.strong, .strong])
    }

    @Test func `the type arguments of a closure come from the captured object whose class the closure names`()
        throws
    {
        let finder = try #require(TestFinder.shared)
        func explain(_ object: AnyObject) -> RetainExplanation {
            unsafe finder.explain(
                UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()), callerReferences: 1)
        }
        // The pair is an object of a subclass without generic arguments. An object of another class is captured before it.
        let holder = Holder("text")
        holder.bind(NamedPair(Plain(), 1))
        let explanation = explain(holder)
        #expect(explanation.path?.isSuspected == false)
        #expect(explanation.path?.description.hasSuffix("closure → Holder<String>") == true)
        holder.closure = nil
    }

    @Test(arguments: [16, 24, 25, 40, 56, 100, 1_000, 300_000])
    func `the size of an allocation is the size that the allocator reports`(count: Int) throws {
        guard Allocator.hasChunkHeaders else { return }
        let memory = try unsafe #require(malloc(count))
        defer { unsafe free(memory) }
        var reader = ObjectReader()
        let size = reader.allocationSize(at: UInt(bitPattern: memory))
        #expect(unsafe size == malloc_usable_size(memory))
    }

    @Test func `a reset discards the layouts of types if there are too many`() {
        var reader = ObjectReader()
        while !reader.layouts.isFull { _ = reader.layouts.append(ObjectLayout(kind: .object)) }
        reader.reset(pageBytes: 4096)
        #expect(reader.layouts.layouts.count < 10)
    }
}

/// Objects whose first words are addresses in images, in memory that is zero otherwise.
@safe private final class WordObjects {
    static let count = 64
    private static let bytes = 256

    private let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes * count, alignment: 4096)
    private var walker = GraphWalker()

    /// - Returns: the number of words that were accepted as the metadata of an object or as a type.
    func walk(from start: UInt, count: Int) -> Int {
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.bytes * Self.count)
        for index in 0..<count {
            unsafe memory.storeBytes(
                of: start &+ UInt(8 * index), toByteOffset: index * Self.bytes, as: UInt.self)
        }
        walker.begin(.release)
        var accepted = 0
        for index in 0..<count {
            let word = start &+ UInt(8 * index)
            if walker.reader.isType(word) {
                accepted += 1
                _ = walker.reader.layouts.types.layout(of: Metadata(word))
                _ = MetadataName.qualified(Metadata(word))
            }
            let object = unsafe UInt(bitPattern: memory + index * Self.bytes)
            if let layout = walker.reader.layoutIndex(at: object) {
                accepted += 1
                let metadata = walker.reader.layouts.layout(layout).metadata
                if metadata != 0 { _ = walker.reader.layouts.layout(layout) }
            }
        }
        return accepted
    }

    deinit { unsafe memory.deallocate() }
}
