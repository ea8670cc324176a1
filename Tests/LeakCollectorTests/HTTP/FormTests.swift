import Testing

@testable import LeakCollector

@Suite struct FormTests {
    @Test(arguments: [
        ("token=abc", "abc"),
        ("a=1&token=a+b%2Bc%26d", "a b+c&d"),
        ("token=%C3%A4", "ä"),
        ("token=first&token=second", "first"),
        ("token=100%&x", "100%"),
        ("token=%4", "%4"),
        ("token=%zz", "%zz"),
        ("token=%%2B5", "%+5"),
        ("token=%+5", "% 5"),
        ("token=%-1", "%-1"),
        ("token=", ""),
        ("token", ""),
    ])
    func `the first value of a form field is decoded`(body: String, token: String) {
        #expect(Form(Array(body.utf8))["token"] == token)
    }

    @Test func `a missing field of a form has no value`() {
        #expect(Form([])["token"] == nil)
        #expect(Form(Array("xtoken=1".utf8))["token"] == nil)
    }
}
