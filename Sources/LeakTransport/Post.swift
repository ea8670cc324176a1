/// One request to the collector.
package struct Post: Hashable, Sendable {
    package var address: String
    package var fields: [Field]
    package var body: [UInt8]

    package init(address: String, fields: [Field], body: [UInt8]) {
        self.address = address
        self.fields = fields
        self.body = body
    }

    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}
