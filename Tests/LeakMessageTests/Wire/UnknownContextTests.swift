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
        ("Läden.(unknown context at $1).Zeile", "Läden.Zeile"),
    ])
    func `is removed from names`(raw: String, name: String) {
        #expect(UnknownContext.removed(from: raw) == name)
    }
}
