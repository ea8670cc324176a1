import Testing

@testable import LeakGrammar
@testable import LeakMessage

@Suite struct TypeNameTests {
    @Test(arguments: [
        ("<MyApp.FooController: 0x7f88acc69260>", "MyApp.FooController"),
        ("<FooController: 0x10a3b2400>", "FooController"),
        ("<FooController:0x600000c1a000>", "FooController"),
        ("MyApp.FooController: 0x7f88acc69260", "MyApp.FooController"),
        ("_TtC5MyApp13FooController", "MyApp.FooController"),
        ("_TtCC5MyApp5Outer5Inner", "MyApp.Outer.Inner"),
        ("$s5MyApp13FooControllerC", "MyApp.FooController"),
        ("_T05MyApp13FooControllerC", "MyApp.FooController"),
        ("$s5MyApp13FooControllerCMn", "MyApp.FooController"),
        ("MyApp.(PrivTop in _9B7A0F1E2D3C4B5A69788796A5B4C3D2)", "MyApp.PrivTop"),
        ("MyApp.(unknown context at $10a3b22bc).PrivModel", "MyApp.PrivModel"),
        (
            "MyApp.(unknown context at $1a).(unknown context at $2b).(unknown context at $3c).InClosure",
            "MyApp.InClosure"
        ),
        ("MyApp.Gen<MyApp.(unknown context at $5623).PrivTop>", "MyApp.Gen<…>"),
        ("Gen<Dictionary<String, Optional<Top>>>", "Gen<…>"),
        ("MyApp.Gen<() -> Swift.Int>.Inner", "MyApp.Gen<…>.Inner"),
        ("MyApp.Gen<Swift.Int", "MyApp.Gen<…>"),
        (
            "_TtGC7SwiftUI19UIHostingControllerV5MyApp11ContentView_",
            "SwiftUI.UIHostingController<MyApp.ContentView>"
        ),
        ("UIHostingController<ContentView>", "UIHostingController<ContentView>"),
        ("_UIHostingView<MyApp.(unknown context at $1f).Row>", "_UIHostingView<MyApp.Row>"),
        ("(extension in MyApp):Swift.Array<Swift.Int>.InExt", "Swift.Array<…>.InExt"),
        ("<(extension in MyApp):Swift.Array<Swift.Int>.InExt: 0x1f>", "Swift.Array<…>.InExt"),
        ("Local #1 in MyApp.makeLocal() -> Any", "Local"),
        ("NSKVONotifying_MyApp.FooController", "MyApp.FooController"),
        ("NSKVONotifying__TtC5MyApp13FooController", "MyApp.FooController"),
        ("_RX_namespace_MyApp.FooController", "MyApp.FooController"), ("__KVO__Foo", "Foo"),
        ("FooVC_RACSelectorSignal", "FooVC"), ("FooVC_Aspects_", "FooVC"),
        ("GUL_MyApp.AppDelegate-4E7B1E6C-0C0B-4B63-8E0A-0A6C1B2D3E4F", "MyApp.AppDelegate"),
        ("Optional(<MemoryTest.LeakingViewController: 0x7f88>)", "MemoryTest.LeakingViewController"),
        ("Swift.Optional<MyApp.Foo>", "MyApp.Foo"), ("\"MyApp.FooController\"", "MyApp.FooController"),
        ("  Foo ,", "Foo"), ("__C.UIView", "UIView"), ("MyApp.Box<__C.UIView>", "MyApp.Box<…>"),
        ("<<__NSMallocBlock__:0x10a3b>>", "__NSMallocBlock__"), ("中文.我的VC", "中文.我的VC"), ("", ""),
        ("\"", "\"…"), ("Swift.Optional<Swift.Optional<MyApp.Foo>>", "MyApp.Foo"),
        ("Optional<…>", "Optional<…>"),
        ("\"NSKVONotifying_Optional(Foo)\"", "Foo"),
        ("UILabel text='it's Jane'", "UILabel text='…'"), ("<UILabel: 0x1f; text = 'Jane", "UILabel"),
    ])
    func `addresses, prefixes, mangling and most generic arguments are removed from a type name`(
        raw: String, text: String
    ) {
        let name = TypeName(raw, demangle: demangle)
        #expect(name.text == text)
        #expect(!name.isUndemangled)
    }

    @Test func `a name that cannot be demangled stays unchanged, and is marked`() {
        let name = TypeName("_TtC7MyApp14FooController", demangle: demangle)
        #expect(name.text == "_TtC7MyApp14FooController")
        #expect(name.isUndemangled)
    }

    @Test func `the discriminator of a private type is separated from its name`() {
        let hex = "_9B7A0F1E2D3C4B5A69788796A5B4C3D2"
        #expect(TypeName("MyApp.(PrivTop in \(hex))").discriminator == hex)
        #expect(
            TypeName("_TtC5MyAppP33_9B7A0F1E2D3C4B5A69788796A5B4C3D28SecretVC", demangle: demangle)
                .discriminator == hex)
        #expect(TypeName("MyApp.PrivTop").discriminator == nil)
    }

    @Test(
        arguments: [
            ("MyApp.Foo", "MyApp", "MyApp", "Foo"), ("MyApp.Foo", nil, "MyApp", "Foo"),
            ("Foo", "MyApp", nil, "Foo"),
            ("Foo", nil, nil, "Foo"), ("MyApp.Outer.Inner", "MyApp", "MyApp", "Outer.Inner"),
            ("Outer.Inner", "MyApp", nil, "Outer.Inner"), ("Outer.Inner", nil, "Outer", "Inner"),
            ("My_App.Foo", "My App", "My_App", "Foo"), ("MyAppKit.Foo", "MyApp", nil, "MyAppKit.Foo"),
            (
                "SwiftUI.UIHostingController<MyApp.ContentView>", "MyApp", "SwiftUI",
                "UIHostingController<ContentView>"
            ),
            (
                "SwiftUI.UIHostingController<MyApp.ContentView>", nil, "SwiftUI",
                "UIHostingController<ContentView>"
            ),
            ("UIHostingController<ContentView>", "MyApp", nil, "UIHostingController<ContentView>"),
            ("MyApp.Store<…>", "MyApp", "MyApp", "Store<…>"), ("MyApp.", "MyApp", nil, "MyApp."),
            (".Foo", nil, nil, ".Foo"),
        ] as [(String, String?, String?, String)])
    func `the module is split off a type name`(raw: String, app: String?, module: String?, name: String) {
        let parts = TypeName(raw).split(appModule: app)
        #expect(parts.module == module)
        #expect(parts.name == name)
    }

    @Test(arguments: [
        ("UINavigationController", true), ("_UIAlertControllerView", true), ("NSWindow", true),
        ("_NSThing", true),
        ("SwiftUI.HostingScrollView", true), ("SwiftUI.UIHostingController<SwiftUI.AnyView>", true),
        ("UIHostingController<ModifiedContent<AnyView, RootModifier>>", true),
        ("SwiftUI.UIHostingController<MyApp.ContentView>", false),
        ("UIHostingController<ContentView>", false),
        ("MyApp.UICard", false), ("Foo", false), ("MyApp.Foo<…>", false), ("UserController", false),
    ])
    func `type names of the system are recognised`(raw: String, isSystem: Bool) {
        #expect(TypeName(raw).isSystem == isSystem)
    }

    @Test(arguments: [
        ("UIHostingController<CartView?>", "UIHostingController<Optional<CartView>>"),
        ("Store<Cart?>", "Store<Optional<Cart>>"), ("Store<[Cart]>", "Store<Array<Cart>>"),
        ("Store<[Int : Cart?]>", "Store<Dictionary<Int, Optional<Cart>>>"),
        ("Store<[[Cart]?]>", "Store<Array<Optional<Array<Cart>>>>"),
        ("UIHostingController<ModifiedContent<CartView?, A>>", "UIHostingController<Optional<CartView>>"),
        ("[Cart]", "Array<Cart>"), ("[String: Cart]", "Dictionary<String, Cart>"), ("Cart?", "Cart"),
        ("[Cart?]?", "Array<Optional<Cart>>"), ("Cart!", "Optional<Cart>"), ("Cart??", "Cart"),
    ])
    func `a type has one name, with and without the short forms of arrays, dictionaries and optionals`(
        raw: String, other: String
    ) {
        #expect(TypeName(raw).detailedText == TypeName(other).detailedText)
        #expect(TypeName(raw).detailedText.contains("Cart"))
    }

    @Test(arguments: [
        "Store<Locale>", "Store<IndexPath, URLComponents>", "Store<DateComponents?>", "Store<[TimeZone]>",
        "Store<Measurement<Int>>", "Store<KeyPath<Int, String>>", "Store<[String: Calendar]>",
    ])
    func `system types as generic arguments do not distinguish classes`(raw: String) {
        #expect(TypeName(raw).detailedText == "Store<…>")
    }

    @Test(arguments: ["Store<Cart & Item?>", "Store<() -> Cart?>", "Store<(Cart?) -> Item>", "Store<[Cart>"])
    func `the detailed name of a type that cannot be read reliably is the same if it is read again`(
        raw: String
    ) {
        #expect(TypeName(TypeName(raw).detailedText).detailedText == TypeName(raw).detailedText)
    }

    @Test(arguments: [
        ("Store<[Cart>", "Store<[Cart>"), ("Store<[Cart)>", "Store<[Cart)>"),
        ("Store<[Int: [Cart]>", "Store<[Int: [Cart]>"),
        ("Store<[[Cart]>", "Store<[[Cart]>"),
    ])
    func `no letter of a type name is lost after an unclosed bracket`(raw: String, text: String) {
        #expect(TypeName(raw).detailedText == text)
    }

    @Test(arguments: [
        ("(a", "a", nil), ("(a<b", "a<b", nil), ("(a(b)", "a(b)", nil), ("(a)b", "a", 3), ("(", "", nil),
        ("", "", nil),
        ("()", "", 2),
    ])
    func `an unclosed bracket of a type name contains the rest of the text`(
        text: String, inside: String, end: Int?
    ) {
        #expect(Brackets.endIndexIfClosed(ofBracketAtStartOf: Text(text)) == end)
        if !text.isEmpty { #expect(Brackets.inside(Text(text)).string == inside) }
    }

    @Test func `a cleaned type name has no control character`() {
        #expect(TypeName("A\u{1F}B\n\0C\u{7F}").text == "ABC")
    }
}
