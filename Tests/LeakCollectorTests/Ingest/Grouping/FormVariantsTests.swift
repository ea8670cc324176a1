import LeakSeededRandom
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct FormVariantsTests {
    private static func expect(
        _ text: String, is expected: LeakIdentity, location: SourceLocation = #_sourceLocation
    ) {
        for text in [text, DetectorMessage.redacted(text)] {
            let identity = group(text, module: "MyApp").identity
            #expect(identity.id == expected.id, "\(text)", sourceLocation: location)
            #expect(identity.className == expected.className, "\(text)", sourceLocation: location)
            #expect(identity.children == expected.children, "\(text)", sourceLocation: location)
            #expect(identity.cycle == expected.cycle, "\(text)", sourceLocation: location)
            #expect(identity.quality == .full, "\(text)", sourceLocation: location)
        }
    }

    @Test func `a container is identified by its class and its children, in every layout of the text`() {
        var variants = FormVariants(random: SeededRandom(seed: 11))
        for _ in 0..<300 {
            let children = (0...variants.random.below(3)).map { _ in variants.className() }
            let name = variants.random.element(of: [
                "UINavigationController", "UITabBarController", "UIPageViewController",
            ])
            Self.expect(
                variants.containerText(name, children: children),
                is: leak(name, children: children, module: "MyApp"))
        }
    }

    @Test func `an alert is identified by its class, even if its text differs`() {
        var variants = FormVariants(random: SeededRandom(seed: 12))
        for _ in 0..<400 {
            let name = variants.random.below(4) == 0 ? variants.className() : "UIAlertController"
            Self.expect(variants.alertText(name), is: leak(name, module: "MyApp"))
        }
    }

    @Test func `a cycle is one leak, whichever of its objects the report begins with`() {
        var variants = FormVariants(random: SeededRandom(seed: 13))
        for _ in 0..<300 {
            var classes = (0...variants.random.below(4)).map { _ in variants.className() }
            if variants.random.below(2) == 0 {
                classes.append(variants.random.element(of: ["NSArray", "__NSMallocBlock__"]))
            }
            Self.expect(variants.cycleText(classes), is: leak(nil, cycle: classes, module: "MyApp"))
        }
    }

    @Test func `an object that MLeaksFinder finds in a property is identified by its class and its owner`() {
        var variants = FormVariants(random: SeededRandom(seed: 14))
        for _ in 0..<200 {
            let (owner, name) = (variants.className(), variants.className())
            Self.expect(
                variants.propertyText(
                    owner: owner, property: variants.random.element(of: ["viewModel", "a", "_b2"]),
                    className: name),
                is: leak(name, [owner, "UIView", name], module: "MyApp"))
        }
    }

    @Test func `a view in a text of AMLeaksFinder is identified by its class and its controller`() {
        var variants = FormVariants(random: SeededRandom(seed: 15))
        for _ in 0..<200 {
            let (owner, name) = (variants.className(), variants.className())
            Self.expect(
                variants.viewText(name, inController: owner), is: leak(name, [owner, name], module: "MyApp"))
        }
    }

    @Test func `a message that names only the leaked object is identified by the object's class`() {
        var variants = FormVariants(random: SeededRandom(seed: 16))
        for _ in 0..<2_000 {
            let name = variants.className()
            Self.expect(variants.messageNamingOnly(name), is: leak(name, module: "MyApp"))
        }
    }

    /// The page of the leak and the API say that the name is mangled.
    @Test func `a mangled name that cannot be demangled is kept and marked`() {
        let marked = leak("_TtC7MyApp14FooController", module: "MyApp")
        #expect(marked.className == "_TtC7MyApp14FooController")
        #expect(marked.groupingKey.isMangled)
        #expect(leak("Foo", ["$s5MyApp4294967299FooC", "Foo"]).groupingKey.isMangled)
        #expect(!leak("_TtC5MyApp13FooController").groupingKey.isMangled)
        #expect(String(decoding: GroupingCard(leak: marked).html.bytes, as: UTF8.self).contains("mangled"))
        #expect(
            !String(decoding: GroupingCard(leak: leak("Foo")).html.bytes, as: UTF8.self).contains("mangled"))
    }
}
