import LeakSeededRandom
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct GroupingVariantsTests {
    private static let classes = [
        "CheckoutViewController", "Cart", "Outer.Inner", "Store<…>", "Row", "ÜbersichtVC", "A1",
        "UserProfileController",
        "Session_Model", "VC",
    ]

    private static let paths = [
        ["Root", "Row"], ["Root", "UITableView", "UITableViewWrapperView", "Cell"], ["Root", "Other", "Row"],
        ["Other", "Row"], ["Root", "Inner", "Row"], ["Root", "UIView", "Row2"], ["Root", "UILabel"],
        ["UIWindow", "Other", "UILabel"], ["A", "B", "C", "D"], ["A", "B", "D"],
    ]

    @Test(arguments: classes)
    func `all variants of a detector's text about one class are one leak`(name: String) {
        var variants = MessageVariants(random: SeededRandom(seed: UInt64(name.utf8.count)))
        let expected = leak(name, module: "MyApp").id
        for _ in 0..<400 {
            let text = variants.text(name.replacingArguments)
            let grouped = group(text, module: "MyApp")
            #expect(grouped.identity.id == expected, "\(text)")
            let sample = group(DetectorMessage.redacted(text), module: "MyApp")
            #expect(sample.identity.id == expected, "\(text)")
            #expect(sample.livedMilliseconds == grouped.livedMilliseconds)
        }
    }

    @Test(arguments: paths)
    func `all variants of a detector's text with one path of owners are one leak`(path: [String]) {
        var variants = MessageVariants(random: SeededRandom(seed: 5))
        let expected = leak(path.last, path, module: "MyApp").id
        for _ in 0..<200 {
            let text = variants.text(path)
            #expect(group(text, module: "MyApp").identity.id == expected, "\(text)")
            #expect(group(DetectorMessage.redacted(text), module: "MyApp").identity.id == expected, "\(text)")
        }
    }

    @Test func `a thousand messages of twenty leaks make twenty groups`() {
        var random = SeededRandom(seed: 1_000)
        var variants = MessageVariants(random: random)
        var cache = GroupCache()
        var groups: Set<LeakID> = []
        var exact: Set<String> = []
        for _ in 0..<1_000 {
            let leak = random.below(20)
            let text =
                leak < 10
                ? variants.text(Self.classes[leak].replacingArguments) : variants.text(Self.paths[leak - 10])
            exact.insert(text)
            var report = LeakReport()
            report.message = text
            let direct = GroupingRules.group(report, app: "a", module: "MyApp")
            groups.insert(direct.identity.id)
            guard let document = try? WireReader.read(report.json(), as: .json) else { continue }
            let cached = cache.group(document, document.reports[0], app: "a", module: "MyApp").first
            #expect(cached.identity.id == direct.identity.id)
            #expect(cached.isFreed == direct.isFreed)
            #expect(cached.livedMilliseconds == direct.livedMilliseconds)
            #expect(cached.alive == direct.alive)
        }
        #expect(groups.count == 20)
        #expect(exact.count > 700)
    }

    @Test func `twenty leaks with similar names, paths or cycles are twenty groups`() {
        let alike = [
            leak("Cart"), leak("Carts"), leak("cart"), leak("CartCell"), leak("Cart", app: "b"),
            leak("Cart", ["Root", "Cart"]), leak("Cart", ["Other", "Cart"]),
            leak("Cart", ["Root", "Other", "Cart"]),
            leak("Cart", ["Other", "Root", "Cart"]), leak("Outer.Cart", module: "MyApp"),
            leak("Inner.Cart", module: "MyApp"), leak("Cart<Int>"), leak("UIHostingController<Cart>"),
            leak("UIHostingController<CartRow>"), leak("UINavigationController", children: ["Cart"]),
            leak("UINavigationController", children: ["CartRow"]),
            leak("UITabBarController", children: ["Cart"]),
            leak(nil, cycle: ["Cart", "closure"]), leak(nil, cycle: ["Cart", "other"]),
            group("Expected deallocation of cart 17").identity,
        ]
        #expect(Set(alike.map(\.id)).count == 20)
    }

    @Test func `all spellings of a generic type are one leak`() {
        let spellings = [
            "MyApp.Gen<Swift.Dictionary<Swift.String, Swift.Optional<MyApp.Top>>>",
            "Gen<Dictionary<String, Optional<Top>>>",
            "_TtGC5MyApp3GenGVs10DictionarySSGSqCS_3Top___", "MyApp.Gen<Dictionary<…, Optional<Top>>>",
        ]
        #expect(Set(spellings.map { leak($0, module: "MyApp").id }).count == 1)
    }

    @Test(arguments: [
        ("Shop.Store<Shop.HomeState>", "Store<HomeState>"),
        ("Shop.Store<Shop.HomeState, Swift.Int>", "Store<HomeState, …>"),
        ("Shop.Store<Swift.Int>", "Store<…>"), ("Shop.Store<Pack{Swift.Int}>", "Store<…>"),
        ("Shop.Store<T>", "Store<…>"), ("Shop.Store<Swift.Array<Shop.Item>>", "Store<Array<Item>>"),
        ("Shop.Store<any Shop.Service>", "Store<Service>"), ("Store<(Int, Bool)>", "Store<…>"),
        ("Shop.Store<Shop.(unknown context at $104f3a1c0).FeedState>", "Store<FeedState>"),
        ("Shop.Store<State #1 in Shop.run() -> ()>", "Store<…>"),
        ("Shop.Cache<Shop.Key, Shop.Box<Shop.Item>>.Entry", "Cache<Key, Box<Item>>.Entry"),
        (
            "SwiftUI.UIHostingController<SwiftUI.ModifiedContent<Shop.CheckoutView, SwiftUI.RootModifier>>",
            "UIHostingController<CheckoutView>"
        ),
        (
            "_TtGC7SwiftUI19UIHostingControllerGVS_15ModifiedContentVS_7AnyViewVS_12RootModifier__",
            "UIHostingController<AnyView>"
        ),
        (
            "UIHostingController<ModifiedContent<ModifiedContent<CartView, _PaddingLayout>, ShopTheme>>",
            "UIHostingController<CartView>"
        ),
        ("UIHostingController<Optional<CheckoutView>>", "UIHostingController<CheckoutView>"),
        ("UIHostingController<CheckoutView?>", "UIHostingController<CheckoutView>"),
        (
            "UIHostingController<SwiftUI.NavigationStack<NavigationPath, ModifiedContent<Shop.CartView, _PaddingLayout>>>",
            "UIHostingController<CartView>"
        ),
        (
            "UIHostingController<_ConditionalContent<Group<CartView>, EmptyView>>",
            "UIHostingController<CartView>"
        ),
        (
            "UIHostingController<TupleView<(CartView, OrderView)>>",
            "UIHostingController<TupleView<(CartView, OrderView)>>"
        ),
        ("com.acme.shop.CartActivity", "com.acme.shop.CartActivity"),
        ("Shop.Store<[A1]>", "Store<Array<A1>>"), ("Shop.Store<A1?>", "Store<Optional<A1>>"),
    ])
    func `generic arguments that are types of the app stay in the class name`(raw: String, name: String) {
        #expect(leak(raw, module: "Shop").className == name)
    }

    @Test(arguments: [
        "Retain Cycle: (\n \"-> CLASS \",\n \"-> _owner -> Shop.Service \"\n)",
        "Retain cycles: {((\"-> CLASS \", \"-> _owner -> Shop.Service \"))}",
        "ROOT CYCLE: <CLASS 0x600002332540> [32]\n  ROOT CYCLE: <Shop.Service 0x600002332560> [32]",
    ])
    func `generic arguments that are types of the app distinguish retain cycles`(text: String) {
        func identity(_ className: String) -> LeakIdentity {
            var report = LeakReport()
            report.message = text.replacing("CLASS", with: className)
            return GroupingRules.group(report, app: "a", module: "Shop").identity
        }
        let names = ["Shop.Store<Shop.Home>", "Shop.Store<Shop.Cart>", "Shop.Store<Swift.Int>", "Shop.Store"]
        #expect(Set(names.map { identity($0).id }).count == 4)
        #expect(names.map { identity($0).groupingKey.version } == [2, 2, 1, 1])
        #expect(identity("Shop.Store<Home, Int>").id == identity("Store<Shop.Home, Swift.String>").id)
        #expect(identity(names[0]).cycle.contains("Store<Home>"))
    }

    @Test
    func `a cycle with generic arguments is one leak in each rotation, and another leak in another order`() {
        func identity(_ cycle: [String]) -> LeakIdentity {
            var report = LeakReport()
            report.cycle = cycle
            return GroupingRules.group(report, app: "a", module: "Shop").identity
        }
        let one = identity(["Shop.Store<Shop.Home>", "Shop.Store<Shop.Cart>", "__NSArrayM"])
        #expect(one.groupingKey.version == 2 && one.cycle == ["NSArray", "Store<Home>", "Store<Cart>"])
        #expect(identity(["Shop.Store<Shop.Cart>", "__NSArrayI", "Shop.Store<Shop.Home>"]).id == one.id)
        #expect(identity(["Shop.Store<Shop.Home>", "__NSArrayI", "Shop.Store<Shop.Cart>"]).id != one.id)
    }

    @Test func `two classes that differ in a generic argument of the app are two leaks`() {
        let names = ["Store<HomeState>", "Store<CartState>", "Store<Int>", "Store<HomeState, CartState>"]
        #expect(Set(names.map { leak($0).id }).count == names.count)
        #expect(leak("Store<Int>").id == leak("Store<String>").id)
    }

    @Test(arguments: [
        "NavigationStack<NavigationPath, @>", "ForEach<Array<Item>, UUID, @>", "List<SelectionValue, @>",
        "LazyHStack<TupleView<(@, Text)>>", "ScrollViewReader<@>", "TupleView<(HeaderView, @)>",
        "_ConditionalContent<LoginView, @>", "NavigationSplitView<SidebarView, EmptyView, @>",
        "ModifiedContent<ModifiedContent<ModifiedContent<ModifiedContent<ModifiedContent<ModifiedContent<@, A1>, A2>, A3>, A4>, A5>, ShopTheme>",
    ])
    func `hosting controllers of different views are different leaks`(views: String) {
        let groups = ["CartView", "HomeView"].map {
            leak("UIHostingController<\(views.replacing("@", with: $0))>").id
        }
        #expect(groups[0] != groups[1])
    }

    @Test func `a hosting controller is one leak with and without modifiers around its view`() {
        let plain = leak("UIHostingController<CartView>")
        let modified = leak(
            "SwiftUI.UIHostingController<SwiftUI.ModifiedContent<Shop.CartView, SwiftUI.RootModifier>>",
            module: "Shop")
        #expect(plain.id == modified.id)
    }

    @Test func `a class without generic arguments of the app has a grouping key of version 1`() {
        #expect(leak("Store<Int>").groupingKey.version == 1)
        #expect(leak("Store<HomeState>").groupingKey.version == 2)
        #expect(leak("UIHostingController<CartView>").groupingKey.version == 1)
    }

    @Test func `the title of a hosting controller of AnyView names its owner`() {
        let host = "NavigationStackHostingController<AnyView>"
        #expect(leak(host, ["Root", "Checkout", host]).title == "\(host) in Checkout")
        #expect(
            leak("UIHostingController<CartView>", ["Root", "UIHostingController<CartView>"]).title
                == "UIHostingController<CartView>")
    }
}

extension String {
    /// The text with `Swift.Int` in place of `…` at its end.
    fileprivate var replacingArguments: String {
        var text = self
        if text.hasSuffix("<…>") { text = text.dropLast(2) + "Swift.Int>" }
        return text
    }
}
