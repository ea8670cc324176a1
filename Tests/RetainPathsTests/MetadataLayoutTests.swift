import LeakMessage
import Testing

@testable import RetainPaths

private class Plain {
    var first = 1
    var second = 2
}
private final class Sub: Plain { var third = "text" }
private final class Pair<First, Second> {
    var first: First?
    var second: Second?
}
private struct Point { var (x, y) = (1, 2) }
private struct Large { var words = (1, 2, 3, Plain()) }
private enum Choice {
    case none
    case object(Plain)
    case text(String)
}
private protocol Bound: AnyObject {}
private protocol Unbound {}

@Suite struct MetadataLayoutTests {
    @Test func `the kinds of metadata equal those of MetadataKind in the runtime`() {
        let kinds: [(Any.Type, UInt)] = [
            (Int.self, 0x200), (Choice.self, 0x201), (Int?.self, 0x202), ((Int, Int).self, 0x301),
            ((() -> Void).self, 0x302), ((any Unbound).self, 0x303), (Int.Type.self, 0x304),
            ((any Unbound.Type).self, 0x306), ((any Collection<Int>).self, 0x307), (Plain.self, 0),
        ]
        for (type, kind) in kinds {
            let metadata = Metadata(type)
            #expect(metadata.kind == kind, "\(type)")
            #expect(metadata == Metadata(metadata.type))
        }
    }

    @Test func `class metadata has superclass, size and descriptor`() {
        let metadata = Metadata(Sub.self)
        #expect(metadata.isClass)
        #expect(metadata.superclass == Metadata(Plain.self))
        #expect(Metadata(Plain.self).superclass == nil)
        #expect(Metadata(Plain.self).instanceSize == 32)
        #expect(metadata.instanceSize == 48)
        let flags = ImmortalMemory.uint32(metadata.descriptor)
        #expect(flags & DescriptorLayout.Context.kindMask == DescriptorLayout.Context.classKind)
        #expect(flags & DescriptorLayout.Context.isGenericFlag == 0)
    }

    @Test func `generic arguments are found in metadata`() {
        #expect(Metadata(Pair<Int, String>.self).genericArgument(0) == Metadata(Int.self))
        #expect(Metadata(Pair<Int, String>.self).genericArgument(1) == Metadata(String.self))
        #expect(Metadata([String: Point].self).genericArgument(1) == Metadata(Point.self))
        #expect(Metadata(Point?.self).genericArgument(0) == Metadata(Point.self))
        #expect(Metadata(Plain.self).genericArgument(0) == nil)
    }

    @Test func `value witnesses agree with MemoryLayout`() throws {
        func check<Value>(_ type: Value.Type, isTrivial: Bool, isInline: Bool, isEnum: Bool) throws {
            let witnesses = try #require(Metadata(type).valueWitnesses)
            #expect(witnesses.size == MemoryLayout<Value>.size)
            #expect(witnesses.stride == MemoryLayout<Value>.stride)
            #expect(witnesses.alignment == MemoryLayout<Value>.alignment)
            #expect(witnesses.isTrivial == isTrivial)
            #expect(witnesses.isInline == isInline)
            #expect(witnesses.hasEnumWitnesses == isEnum)
        }
        try check(Int.self, isTrivial: true, isInline: true, isEnum: false)
        try check(Point.self, isTrivial: true, isInline: true, isEnum: false)
        try check(Large.self, isTrivial: false, isInline: false, isEnum: false)
        try check(String.self, isTrivial: false, isInline: true, isEnum: false)
        try check(Choice.self, isTrivial: false, isInline: true, isEnum: true)
        try check([Int].self, isTrivial: false, isInline: true, isEnum: false)
    }

    @Test func `the metadata of a function contains its calling convention`() {
        typealias Function = MetadataLayout.Function
        func convention(_ type: Any.Type) -> UInt {
            Metadata(type).word(Function.flags) >> Function.conventionShift & Function.conventionMask
        }
        #expect(convention((() -> Void).self) == Function.swiftConvention)
        #expect(convention((@convention(block) () -> Void).self) == Function.blockConvention)
    }

    @Test func `the metadata of an existential shows whether it is bound to classes`() {
        typealias Existential = MetadataLayout.Existential
        func flags(_ type: Any.Type) -> UInt32 { Metadata(type).uint32(Existential.flags) }
        #expect(flags((any Bound).self) & Existential.isOpaqueFlag == 0)
        #expect(flags(AnyObject.self) & Existential.isOpaqueFlag == 0)
        #expect(flags((any Unbound).self) & Existential.isOpaqueFlag != 0)
        #expect(
            flags((any Error).self) >> Existential.specialProtocolShift & Existential.specialProtocolMask
                == Existential.errorProtocol)
    }

    @Test func `the metadata of a tuple is found by the types of its elements`() {
        let elements = [Metadata(Int.self), Metadata(String.self), Metadata(Plain.self)]
        #expect(Reflection.tuple(of: elements) == Metadata((Int, String, Plain).self))
        let metadata = Metadata((Int, String, Plain).self)
        #expect(metadata.word(MetadataLayout.Tuple.count) == 3)
        #expect(metadata.word(MetadataLayout.Tuple.labels) == 0)
        #expect(
            metadata.word(MetadataLayout.Tuple.elements + MetadataLayout.Tuple.elementStride)
                == elements[1].address)
    }
}
