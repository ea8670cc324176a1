/// Entries that are numbered in the order in which their keys came.
package struct NumberedEntries<Key: Hashable, Entry> {
    private var all: [Entry] = []
    private var numbers: [Key: Int] = [:]

    package init() {}

    package func number(of key: Key) -> Int? { numbers[key] }

    /// - Parameter entry: of a key that is new.
    /// - Returns: the number of the key.
    package mutating func number(of key: Key, adding entry: @autoclosure () -> Entry) -> Int {
        if let known = numbers[key] { return known }
        all.append(entry())
        numbers[key] = all.count - 1
        return all.count - 1
    }

    package subscript(number: Int) -> Entry {
        get { all[number] }
        set { all[number] = newValue }
    }
}
