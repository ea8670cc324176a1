import LeakMessage
import Testing

/// Retain paths as text.
@Suite struct PathTextTests {
    @Test(arguments: [
        ("Shop.Cart", "Cart"), ("Shop.Cart.Item", "Cart.Item"), ("closure", "closure"),
        ("Swift.AsyncStream<Swift.Int>._Storage", "AsyncStream<Int>._Storage"),
        ("Shop.Outer<Swift.Int>.Inner<Shop.Cart.Item>", "Outer<Int>.Inner<Cart.Item>"),
        ("Shop.Box<(Swift.Int, Shop.Cart)>", "Box<(Int, Cart)>"), ("async frames", "async frames"),
    ])
    func `types in the text of a path are named without their modules`(type: String, text: String) {
        let reference = RetainReference(owner: type, field: "next", kind: .property)
        let path = RetainPath(references: [reference], target: type, isCycle: true)
        #expect(path.description == "\(text).next → \(text)")
    }

    @Test func `the text of a path follows the references`() {
        let tap = RetainReference(owner: "Shop.Page", field: "onTap", kind: .property, isClosure: true)
        var path = RetainPath(references: [tap], target: "Shop.Page", isCycle: true)
        #expect(path.description == "Page.onTap → closure → Page")
        path.references[0].isSuspected = true
        path.fullLength = 40
        #expect(path.description == "Page.onTap → closure → Page? … (40 references)")
    }
}
