import Testing

@testable import LeakGrammar
@testable import LeakMessage

@Suite struct Swift3DemanglerTests {
    /// The names were checked with `swift demangle` of Swift 6.3, which prints `[X]` and `X?` for `Swift.Array<X>` and
    /// `Swift.Optional<X>`.
    @Test(arguments: [
        ("_TtC5MyApp13FooController", "MyApp.FooController"),
        ("_TtCC5MyApp5Outer5Inner", "MyApp.Outer.Inner"),
        ("_TtCV5MyApp5Outer5Inner", "MyApp.Outer.Inner"),
        (
            "_TtGC7SwiftUI19UIHostingControllerV5MyApp11ContentView_",
            "SwiftUI.UIHostingController<MyApp.ContentView>"
        ),
        (
            "_TtGC5MyApp3GenGVs10DictionarySSGSqCS_3Top___",
            "MyApp.Gen<Swift.Dictionary<Swift.String, Swift.Optional<MyApp.Top>>>"
        ),
        (
            "_TtC5MyAppP33_9B7A0F1E2D3C4B5A69788796A5B4C3D28SecretVC",
            "MyApp.(SecretVC in _9B7A0F1E2D3C4B5A69788796A5B4C3D2)"
        ),
        ("_TtCF5MyApp9makeLocalFT_P_L_5Local", "Local"), ("_TtGC5MyApp3GenSi_", "MyApp.Gen<Swift.Int>"),
        (
            "_TtGC7SwiftUI19UIHostingControllerGVS_15ModifiedContentVS_7AnyViewVS_12RootModifier__",
            "SwiftUI.UIHostingController<SwiftUI.ModifiedContent<SwiftUI.AnyView, SwiftUI.RootModifier>>"
        ),
        ("_TtGC5MyApp3GenPS_1P__", "MyApp.Gen<MyApp.P>"),
        ("_TtGC5MyApp4PairSiSS_", "MyApp.Pair<Swift.Int, Swift.String>"),
        ("_TtCE5MyAppSa5InExt", "(extension in MyApp):Swift.Array.InExt"),
        ("_TtGC5MyApp3GenGSaSi__", "MyApp.Gen<Swift.Array<Swift.Int>>"),
        ("_TtGC5MyApp3GenFT_T__", "MyApp.Gen<() -> ()>"),
        ("_TtGC5MyApp3GenCSo6UIView_", "MyApp.Gen<__C.UIView>"),
    ])
    func `the Swift 3 demangler reads nominal types`(mangled: String, name: String) {
        #expect(Swift3Demangler.demangle(Text(mangled)) == name)
    }

    @Test(arguments: [
        "_TtC7MyApp14FooController", "_TtC5MyApp", "_Tt", "_TtC", "_TtC5MyApp00FooX", "_TtGC5MyApp3GenaSi_",
        "_TtGC5MyApp3Gen_",
        "_TtC5MyApp99999Foo", "_TtC5MyApp3FooX", "_TtC5MyAppU33_X", "_TtCS_3Foo", "_TtSi3", "FooController",
    ])
    func `the Swift 3 demangler returns nil for invalid and for non-nominal names`(mangled: String) {
        #expect(Swift3Demangler.demangle(Text(mangled)) == nil)
    }

    @Test func `the Swift 3 demangler returns nil for long texts of one repeated part`() {
        for part in ["C", "G", "F", "T", "P", "S", "E", "CE", "GC1a1b", "FT_", "S_"] {
            let text = "_Tt" + String(repeating: part, count: 3_000)
            #expect(Swift3Demangler.demangle(Text(text)) == nil)
        }
    }

    @Test(arguments: 1...200)
    func `the Swift 3 demangler returns at most 64 KiB, even if parts of a name refer to each other`(
        levels: Int
    ) {
        let declarations = (0..<levels).map { level in
            let index = level == 0 ? "S_" : "S\(level - 1)_"
            return "E\(index)\(index)1a"
        }
        let lists = String(repeating: "PS_1a", count: levels)
        for text in ["_TtP1M1a" + declarations.joined() + "_", "_TtGC1M1a" + lists + "_", "_TtP1M1a" + lists]
        {
            let name = Swift3Demangler.demangle(Text(text))
            #expect((name?.utf8.count ?? 0) <= 64 * 1024)
        }
    }
}
