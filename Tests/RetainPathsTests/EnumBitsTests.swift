import LeakSeededRandom
import LeakMessage
import Testing

@testable import RetainPaths

private class Object {}
private final class Other: Object {}
private enum Single {
    case value(Object)
    case none
}
private enum Multiple {
    case object(Object)
    case other(Other)
    case none
}
private enum Mixed {
    case object(Object)
    case number(Int)
    case text(String)
    case closure(() -> Void)
    case none
}
private enum Many {
    case a(Object), b(Other), c([Object]), d([Int: Object]), e(any Error), f(Any), g, h, i
}
private indirect enum Recursive {
    case leaf
    case node(Recursive, Object)
}
private enum PartlyIndirect {
    case value(Int, Object)
    indirect case nested(PartlyIndirect)
    case none
}
private enum Generic<Value> {
    case value(Value)
    case list([Value])
    case error(any Error)
}
private enum Weak {
    case weak(WeakHolder)
    case strong(Object)
}
private struct WeakHolder { weak var object: Object? }
private struct Large { var (a, b, c, d, e) = (1, Object(), "", Optional<Object>.none, Multiple.none) }

/// To find the case of an enum, the finder runs code that the compiler generated, on bytes that may be garbage.
@Suite struct EnumBitsTests {
    private static let types: [Any.Type] = [
        Single.self, Multiple.self, Mixed.self, Many.self, Recursive.self, PartlyIndirect.self,
        Generic<Int>.self,
        Generic<Object>.self, Generic<String>.self, Generic<Mixed>.self, Weak.self, Single?.self,
        Multiple?.self,
        Mixed?.self, Mixed??.self, Many?.self, Generic<Object?>.self, Generic<Large>.self,
        Result<Object, any Error>.self,
        Result<Large, any Error>.self, (Int, Object)?.self, (String, Mixed)?.self, Large?.self, Large??.self,
        Result<Multiple, any Error>?.self,
    ]

    @Test func `no bit pattern of an enum causes a crash`() throws {
        var layouts = TypeLayouts(ImageAddressMap())
        var generator = SeededRandom(seed: 88_172_645_463_325_252)
        for type in Self.types {
            let value = layouts.layout(of: Metadata(type))
            for reference in layouts.referenceFields(in: value.referenceFields)
            where reference.kind == .enumeration {
                let layout = layouts.enums[Int(reference.detail)]
                let words = layout.size / 8 + 2
                let memory = UnsafeMutableRawPointer.allocate(byteCount: words * 8, alignment: 16)
                defer { unsafe memory.deallocate() }
                for round in 0..<4_000 {
                    for word in 0..<words {
                        var bits = generator.next()
                        // Small numbers and single bits are rare among random numbers.
                        if round % 4 == 1 { bits &= 0xFF }
                        if round % 4 == 2 { bits = bits << 56 }
                        if round % 4 == 3 { bits = 1 << (bits & 63) }
                        unsafe memory.storeBytes(of: bits, toByteOffset: word * 8, as: UInt64.self)
                    }
                    let tag = unsafe Int(Reflection.enumTag(memory, layout))
                    if tag < layout.cases.count, !layout.cases[tag].isEmpty {
                        unsafe Reflection.projectEnumData(memory, layout)
                    }
                }
            }
        }
    }
}
