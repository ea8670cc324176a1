import LeakSeededRandom
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Mangled names in which each level contains the previous level twice.
enum MangledChain {
    /// Returns the mangled form of the substitution with an index.
    static func substitution(_ index: Int) -> String {
        switch index {
        case ..<26: "A" + String(Unicode.Scalar(UInt8(ascii: "A") + UInt8(index)))
        case 26: "A_"
        default: "A\(index - 27)_"
        }
    }

    /// Returns the mangled name of `Dictionary<Dictionary<…>, Dictionary<…>>`.
    static func dictionaries(_ levels: Int, prefix: String = "$s") -> String {
        prefix + String(repeating: "SDy", count: levels) + "SDySSSSG"
            + (0..<levels).map { substitution($0) + "G" }.joined() + "D"
    }

    /// Returns the mangled name of an optional tuple of two elements, each of which is such an optional tuple again. Only the
    /// optionals have substitutions.
    static func optionals(_ levels: Int) -> String {
        "$sSiSg" + (0..<levels).map { "_" + substitution($0) + "tSg" }.joined() + "D"
    }

    /// Returns a name in Swift 3's mangling in which each extension extends a type that the previous extension declared.
    static func extensions(_ levels: Int) -> String {
        let declarations = (0..<levels).map { level in
            let index = level == 0 ? "S_" : "S\(level - 1)_"
            return "E\(index)C\(index)1a"
        }
        return "_TtP1M1a" + declarations.joined() + "_"
    }

    static func all(_ levels: Int) -> [String] {
        [
            dictionaries(levels), dictionaries(levels, prefix: "$S"), dictionaries(levels, prefix: "_$s"),
            dictionaries(levels, prefix: "_T0"), optionals(levels), extensions(levels),
        ]
    }
}

@Suite struct DemangledSizeBoundTests {
    /// Counts the calls of the runtime's demangler and the bytes of its longest result. The time of a call is proportional to
    /// the length of the result, so the test does not depend on the speed of the machine.
    private final class Demangler {
        private(set) var calls = 0
        private(set) var longestByteCount = 0

        func demangle(_ name: String) -> String? {
            calls += 1
            let plain = RuntimeDemangler.demangle(name)
            longestByteCount = max(longestByteCount, plain?.utf8.count ?? 0)
            return plain
        }
    }

    @Test(
        arguments: [
            ("$s5MyApp13FooControllerC", "MyApp.FooController"),
            ("_$s5MyApp13FooControllerC", "MyApp.FooController"),
            ("_T05MyApp13FooControllerC", "MyApp.FooController"),
            ("$S5MyApp13FooControllerC", "MyApp.FooController"),
            ("$s5MyApp0B8DelegateC", "MyApp.AppDelegate"),
            ("$s5MyApp5OuterC5InnerV", "MyApp.Outer.Inner"),
            ("$s5MyApp13FooControllerCMn", "nominal type descriptor for MyApp.FooController"),
            (
                "$s5MyApp8SecretVC33_9B7A0F1E2D3C4B5A69788796A5B4C3D2LLC",
                "MyApp.(SecretVC in _9B7A0F1E2D3C4B5A69788796A5B4C3D2)"
            ),
            ("$s5MyApp3GenCySiG", "MyApp.Gen<Swift.Int>"),
            ("$s5MyApp4PairCySiSSG", "MyApp.Pair<Swift.Int, Swift.String>"),
            ("$s5MyApp3FooC4load3forySS_tF", "MyApp.Foo.load(for: Swift.String) -> ()"),
            ("$s5MyApp3FooC4sameyA2CF", nil),
            (
                "$s7SwiftUI19UIHostingControllerCy5MyApp11ContentViewVG",
                "SwiftUI.UIHostingController<MyApp.ContentView>"
            ),
            (
                "$s7SwiftUI19UIHostingControllerCyAA15ModifiedContentVyAA7AnyViewVAA12RootModifierVGG",
                "SwiftUI.UIHostingController<SwiftUI.ModifiedContent<SwiftUI.AnyView, SwiftUI.RootModifier>>"
            ),
        ] as [(String, String?)])
    func `mangled names of an app's types and functions are demangled`(mangled: String, plain: String?)
        throws
    {
        if let plain { #expect(RuntimeDemangler.demangle(mangled) == plain) }
        #expect(
            DemangledSizeBound.bound(mangled.hasPrefix("_$") ? mangled.dropFirst().utf8 : mangled[...].utf8)
                != nil)
    }

    @Test(arguments: [
        "", "$", "$s", "MyApp.Foo", "_TtC5MyApp3Foo", "$s5MyApp99999FooC", "$s5MyApp4294967299FooC",
        "$s5MyApp3FooCA99999_", "$s5MyApp3FooCA17A", "$sS2048S", "$s5MyApp3FooC\u{1}abcd",
        "$s5MyApp3FooCTf4n_n",
    ])
    func `a mangled name whose demangled size cannot be bounded is not demangled`(mangled: String) {
        #expect(RuntimeDemangler.demangle(mangled) == nil)
    }

    /// A bound that is too small would accept a name that fills the memory.
    @Test(
        arguments: [
            (
                "$s4Shop9CartModelC4bind2toySi_tFyycfU_",
                "closure #1 () -> () in Shop.CartModel.bind(to: Swift.Int) -> ()"
            ),
            (
                "$s4Shop9CartModelC4loadyyYaFTY0_",
                "(1) suspend resume partial function for Shop.CartModel.load() async -> ()"
            ),
            ("$s4Shop4walkyyxSTRzlF", "Shop.walk<A where A: Swift.Sequence>(A) -> ()"),
            (
                "$sytIegr_Ieg_TR",
                "reabstraction thunk helper from @escaping @callee_guaranteed () -> (@out ()) to @escaping @callee_guaranteed () -> ()"
            ),
            (
                "$s4Shop9CartModelCACycfcTf4n_n",
                "function signature specialization <> of Shop.CartModel.init() -> Shop.CartModel"
            ),
            (
                "$ss22_ContiguousArrayBufferV19firstElementAddressSpyxGvgSi_Tg5",
                "generic specialization <Swift.Int> of Swift._ContiguousArrayBuffer.firstElementAddress.getter : Swift.UnsafeMutablePointer<A>"
            ),
            ("$s4Shop9CartModelCMF", nil), ("$s4Shop9CartModelVwca", nil),
        ] as [(String, String?)])
    func `symbols of functions are demangled within their size bound, or not at all`(
        mangled: String, plain: String?
    ) {
        #expect(RuntimeDemangler.demangleFunction(mangled) == plain)
        let bound = DemangledSizeBound.bound(mangled.utf8, isFunction: true)
        #expect(plain.map { $0.utf8.count <= bound ?? 0 } ?? (bound == nil))
    }

    @Test
    func `demangling a name that doubles in size with each level stops after at most four short attempts`() {
        for levels in 10...80 {
            for mangled in MangledChain.all(levels) {
                let demangler = Demangler()
                let type = TypeName(mangled, demangle: demangler.demangle)
                #expect(type.text.utf8.count <= 2048)
                #expect(demangler.calls <= 4, "\(mangled)")
                #expect(demangler.longestByteCount <= DemangledSizeBound.maxBytes, "\(mangled)")
                if levels >= 16 { #expect(type.isUndemangled, "\(mangled)") }
            }
        }
    }

    @Test func `the bound of the demangled size holds for every name that the runtime demangles`() {
        var random = SeededRandom(seed: 77)
        let seeds =
            (1...9).flatMap { MangledChain.all($0).filter { $0.hasPrefix("$s") } }
            + (20...80).filter { $0.isMultiple(of: 10) }.map { MangledChain.dictionaries($0) } + [
                "$s7SwiftUI19UIHostingControllerCyAA15ModifiedContentVyAA7AnyViewVAA12RootModifierVGG",
                "$s5MyApp0B8DelegateC3FooV0aB3Bar0CBazVLLC", "$s5MyApp3FooC4load3forySS_tF",
                "$s5MyApp3FooC33_9B7A0F1E2D3C4B5A69788796A5B4C3D2LLCySiSgSaySSGG",
                "$s5MyApp3FooC4loadyySSYaKFyyXEfU_", "$s5MyApp3FooCACycfc", "$sSiSg_SStSgMa",
                "$sytIegr_Ieg_TR", "$s4Shop9CartModelC4loadyyYaFTY0_", "$s4Shop4walkyyxSTRzlF",
                "$sxIeAgHr_xs5Error_pIegHrzo_s8SendableRzs5NeverORs_r0_lTRyt_Tg5TQ0_",
                "$s7SwiftUI14ButtonBehaviorV4bodyQrvgyyYbcACyxGYbcfu_yyYbcfu0_TA",
                "$s5MyApp3FooCACycfcTf4n_n",
                "$sScM14assumeIsolated_4file4linexxyKScMYcXE_s12StaticStringVSutKs8SendableRzlFZyt_Tg5",
            ]
        let parts = [
            "A", "AA", "AB", "AaB", "A3A", "A_", "A0_", "G", "y", "_", "t", "Sg", "SS", "S2S", "SDy", "Say",
            "C", "V",
            "3Foo", "0A1b", "0aB0", "00", "q_", "L_", "LL", "E", "F", "c", "D", "Mn", "TA", "x", "s", "So",
            "yXl",
            "vg", "fU_", "Z", "m", "p", "_p", ".1", "5", "z", "o", "Tg5", "TR", "Ieg_", "Rz", "r0_l", "Qr",
            "TY0_", "Tf4n_n",
            "xSTRzl", "Qz", "YaK", "WOe", "HPC", "XE",
        ]
        var readable = 0
        for _ in 0..<8_000 {
            var name = Array(random.element(of: seeds).utf8)
            for _ in 0...random.below(4) {
                let place = 2 + random.below(name.count - 1)
                switch random.below(3) {
                case 0: name.insert(contentsOf: random.element(of: parts).utf8, at: min(place, name.count))
                case 1: name.removeSubrange(min(place, name.count)..<min(name.count, place + random.below(4)))
                default:
                    let start = min(place, name.count)
                    let end = min(name.count, start + random.below(12))
                    name.insert(contentsOf: Array(name[start..<end]), at: end)
                }
            }
            let mangled = String(decoding: name, as: UTF8.self)
            for isFunction in [false, true] {
                let plain =
                    isFunction
                    ? RuntimeDemangler.demangleFunction(mangled) : RuntimeDemangler.demangle(mangled)
                guard let plain else { continue }
                readable += 1
                let bound = DemangledSizeBound.bound(mangled.utf8, isFunction: isFunction) ?? 0
                #expect(bound <= DemangledSizeBound.maxBytes, "\(mangled)")
                #expect(plain.utf8.count <= bound, "\(mangled)")
            }
        }
        #expect(readable > 100)
    }

    @Test(arguments: [
        ".resume.0", ".\0\u{1}\u{7F}", ".é\"\\\n\t", ".viewModel(A), \u{FFFD}\u{FFFD}\0 has leaked",
    ])
    func `the size bound holds for suffixes of mangled names that need escaping`(suffix: String) throws {
        let mangled = "$s5MyApp3FooC" + suffix + suffix + suffix
        let plain = RuntimeDemangler.demangle(mangled)
        #expect(plain?.utf8.count ?? 0 <= (try #require(DemangledSizeBound.bound(mangled.utf8))))
    }

    @Test func `demangling makes no field of a report longer than the limit`() {
        for levels in [10, 20, 40, 80] {
            for mangled in MangledChain.all(levels) {
                let name = String(mangled.prefix(512))
                var inClass = LeakReport()
                inClass.className = name
                var inLists = LeakReport()
                inLists.className = "A"
                inLists.stack = Array(repeating: name, count: 128)
                inLists.children = Array(repeating: name, count: 32)
                inLists.cycle = Array(repeating: name, count: 32)
                var inMessage = LeakReport()
                inMessage.message = "VIEW STILL IN MEMORY <\(name): 0x1>"
                var inList = LeakReport()
                inList.message =
                    "Memory Leak: (\n" + Array(repeating: "\"\(name)\"", count: 16).joined(separator: ",\n")
                for report in [inClass, inLists, inMessage, inList] {
                    let identity = GroupingRules.group(report, app: "a", module: "M").identity
                    let names = [identity.title] + identity.stack + identity.children + identity.cycle
                    #expect(names.allSatisfy { $0.utf8.count <= DemangledSizeBound.maxBytes }, "\(name)")
                }
                for name in [name, "SwiftUI.UIHostingController<\(name)>"] {
                    let plain = GroupingRules.className(name, module: nil)
                    #expect(plain.utf8.count <= DemangledSizeBound.maxBytes, "\(name)")
                }
            }
        }
    }
}
