/// The layout of objects in memory on 64-bit systems.
///
/// Numbers are offsets in bytes, unless their names or comments say otherwise.
///
/// Sources: SwiftShims/RefCount.h, stdlib/public/core and stdlib/public/Concurrency in the repository of Swift, glibc's
/// malloc.c. `HeapLayoutTests` compares most of them with the runtime that the tests run on; a wrong layout of tasks or blocks
/// would give the scenarios of `ScenarioTests` other paths.
enum HeapLayout {
    /// The smallest object: metadata and reference counts. HeapObject.h
    static let headerBytes = 16

    /// RefCount.h: RefCountBitOffsets<8>, HeapObjectSideTableEntry
    enum ReferenceCount {
        static let word: UInt = 8
        static let strongShift: UInt64 = 33
        static let strongMask: UInt64 = 0x3FFF_FFFF
        /// The two highest bits: the count is in a side table.
        static let sideTableMark: UInt64 = 3 << 62
        static let sideTableMask: UInt64 = 0x3FFF_FFFF_FFFF_FFFF
        static let sideTableShift: UInt64 = 3
        static let sideTableCount: UInt = 16
        /// The highest bit of a word without a side table: the object is immortal, or its count has overflowed.
        static let slowBit: UInt64 = 1 << 63
        /// The bytes that a side table takes from the allocator, measured: 32 are requested, in a chunk of 48.
        static let sideTableChunkBytes = 48
    }

    /// Metadata of closure contexts and boxes. Metadata.h: TargetHeapLocalVariableMetadata, TargetGenericBoxHeapMetadata
    enum Context {
        static let firstCapture: UInt = 8
        /// The maximum offset of the first capture, which depends on its alignment; a larger number is garbage.
        static let firstLimit = 256
        static let captureDescriptor: UInt = 16
        /// For generic boxes: the offset of the word that holds the value's offset.
        static let valueOffset: UInt = 8
        /// For generic boxes: the offset of the word that holds the value's type.
        static let valueType: UInt = 16
    }

    /// stdlib/public/runtime/ErrorObject.h
    enum ErrorBox {
        static let type: UInt = 16
        static let value = 32
    }

    /// stdlib/public/core/ContiguousArrayBuffer.swift, SwiftShims/GlobalObjects.h: _SwiftArrayBodyStorage
    enum ArrayStorage {
        static let count: UInt = 16
        static let capacityAndFlags: UInt = 24
        static let elements = 32
        static let countLimit: UInt = 1 << 40
    }

    /// stdlib/public/core/DictionaryStorage.swift, SetStorage.swift. Offsets of the other fields come from reflection.
    enum HashStorage {
        static let count: UInt = 16
        static let capacity: UInt = 24
        static let scaleLimit = 24
    }

    /// stdlib/public/core/StringObject.swift, StringStorage.swift
    enum StringValue {
        static let object = 8
        /// The highest four bits: immortal, small, or not native.
        static let discriminatorMask: UInt = 0xF << 60
        /// The offset of a storage's capacity, which shares its word with flags.
        static let capacity: UInt = 16
        static let capacityMask: UInt = (1 << 48) - 1
        static let text = 32
    }

    /// The bytes of a task up to the context of its start function, observed on Swift 6.3.1: a pointer to the slabs is at 120,
    /// a pointer to the context at 256.
    static let taskBytes = 320

    /// stdlib/public/Concurrency/TaskAlloc.h, runtime/StackAllocator.h
    enum TaskSlab {
        static let next: UInt = 8
        static let capacity: UInt = 16
        static let used: UInt = 20
        static let frames = 32
        static let capacityLimit: UInt = 1 << 20
    }

    /// The Blocks ABI: https://clang.llvm.org/docs/Block-ABI-Apple.html
    enum Block {
        static let invoke: UInt = 16
        static let descriptor: UInt = 24
        static let captures = 32
        static let descriptorSize: UInt = 8
        static let sizeLimit: UInt = 4096
    }

    /// glibc's malloc.c: struct malloc_chunk. The word before an allocation is the chunk's size with three flags.
    enum Chunk {
        static let size: UInt = 8
        static let flagsMask: UInt = 7
        static let isMappedFlag: UInt = 2
        static let sizeLimit: UInt = 1 << 40
        /// The bytes of a chunk that the program cannot use.
        static let overhead = 8
        /// The bytes of a chunk with a mapping of its own that the program cannot use.
        static let mappedOverhead = 16
    }

    /// The addresses that a program can use. The first page stays empty to catch null pointers.
    ///
    /// Documentation/arch/x86/x86_64/mm.rst and Documentation/arch/arm64/memory.rst in the repository of Linux: 47 and 48
    /// bits, beyond which a program has to ask. <mach/arm/vm_param.h>: 47 bits.
    #if arch(arm64) && os(Linux)
        static let addresses: Range<UInt> = 4096..<(1 << 48)
    #else
        static let addresses: Range<UInt> = 4096..<(1 << 47)
    #endif

    /// The address bits of references in class fields. Other bits are spare: extra inhabitants, tags of enums and bridged objects.
    static let addressMask: UInt = 0x00FF_FFFF_FFFF_FFF8
}
