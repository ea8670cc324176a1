import Testing

@testable import LeakDetector

@Suite struct SuppressionTests {
    private static let mine = LeakDetector.Suppression(
        classes: ["Cache", "Shop.Cart"], prefixes: ["Shop.Debug", ""], modules: ["MapKit"])

    @Test(
        arguments: [
            // Classes given without a module match in every module, classes given with a module only in that module.
            ("Cache", true), ("Shop.Cache", true), ("Shop.Outer.Cache", true), ("Shop.Cart", true),
            ("Cart", false), ("Other.Cart", false), ("Shop.CacheKeeper", false),
            ("Shop.Cache<Swift.Int>", true), ("Shop.Loader<Shop.Cache>", false),
            ("Shop.Outer<Swift.Int>.Cache", true), ("Shop.Cache<Swift.Int>.Cell", false),
            ("Shop.Outer<(Swift.Int) -> ()>.Cache", true), ("Shop.Loader<() -> Shop.Cache>", false),
            // Types nested in other types, and types in extensions.
            ("Shop.Outer.Deep.Nest", false), ("Shop.Cart.Cell", false), ("Other.Shop.Cart", true),
            ("(extension in Shop):Swift.Array<Shop.Cache>.Row", false),
            ("(extension in Shop):Swift.Array<Swift.Int>.Cache", true),
            ("(extension in MapKit):Swift.Array<Swift.Int>.Row", true),
            ("(extension in Shop):MapKit.Pin.Row", false),
            // Classes whose name begins with a prefix.
            ("Shop.DebugPanel", true), ("Shop.Debug.Panel", true), ("Other.DebugPanel", false),
            // Classes of a module.
            ("MapKit.MKPin", true), ("MapKit", false), ("MapKitten.Cat", false),
            // Classes of UIKit: each suppression contains those of the standard suppression.
            ("UIPredictionViewController", true), ("_UIAlertControllerTextFieldViewController", true),
            ("CAMPreviewView", true), ("UIViewController", false), ("", false),
        ])
    func `classes are suppressed by name, prefix and module`(name: String, isIgnored: Bool) {
        #expect(Self.mine.ignores(name) == isIgnored)
    }

    @Test func `an empty suppression suppresses nothing`() {
        for name in SystemClasses.kept { #expect(!LeakDetector.Suppression.none.ignores(name)) }
        for name in SystemClasses.windows { #expect(!LeakDetector.Suppression.none.ignoresWindow(name)) }
        for name in SystemClasses.windows { #expect(Self.mine.ignoresWindow(name)) }
    }

    @Test func `classes of the detector's own alerts are always suppressed`() {
        for suppression in [Self.mine, .none] {
            for name in SystemClasses.own {
                #expect(suppression.ignores(name))
                #expect(suppression.ignoresWindow(name))
            }
            #expect(!suppression.ignores("Shop.AlertController"))
        }
    }
}
