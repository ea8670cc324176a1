import LeakMessage
import Testing

@Suite struct UnknownContextTests {
    @Test(arguments: [
        ("Shop.Cart", "Shop.Cart"),
        ("", ""),
        ("Shop.(unknown context at $559f795ba48c).Row", "Shop.Row"),
        ("Shop.(unknown context at $1).(unknown context at $2).Row", "Shop.Row"),
        ("Shop.Gen<Shop.(unknown context at $1).Row>", "Shop.Gen<Shop.Row>"),
        ("(extension in Shop):Swift.Array<Swift.Int>.Row", "(extension in Shop):Swift.Array<Swift.Int>.Row"),
        ("Shop.(unknown context at $1", "Shop.(unknown context at $1"),
        ("Shop.(Cart in $10a2c)", "Shop.Cart"), ("Shop.(Cart in $10a2c).Row", "Shop.Cart.Row"),
        ("Shop.Box<Shop.(unknown context at $1).A, Shop.(B in $2)>", "Shop.Box<Shop.A, Shop.B>"),
        ("Shop.(Cart in _5B1D0F)", "Shop.Cart"), ("(paid in _full)", "(paid in _full)"),
        ("Shop.(Box in _5B1D0F)<Shop.(Cart in _A1).Item>", "Shop.Box<Shop.Cart.Item>"),
        ("(Int, () -> ())", "(Int, () -> ())"), ("cart in $5)", "cart in $5)"),
        ("(paid in $)", "(paid in $)"),
        ("(paid in $5 and more)", "(paid in $5 and more)"),
        ("Läden.(unknown context at $1).Zeile", "Läden.Zeile"),
    ])
    func `unknown contexts and discriminators of private types are removed from a type name`(
        raw: String, name: String
    ) {
        #expect(UnknownContext.removed(from: raw) == name)
    }
}
