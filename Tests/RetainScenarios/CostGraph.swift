import LeakSeededRandom
import Foundation

/// A leaking object with random contents, some of which other objects also retain.
public final class CostGraph {
    final class Photo {
        var pixels: [UInt8]
        var caption: String
        init(_ count: Int, _ caption: String) {
            (pixels, self.caption) = (Array(repeating: 7, count: count), caption)
        }
    }
    final class Item {
        var title: String
        var photo: Photo?
        var tags: Set<String> = []
        var next: Item?
        weak var owner: CostGraph?
        init(_ title: String) { self.title = title }
    }
    enum State {
        case idle
        case loaded([Item], total: Int)
        case failed(any Error)
    }
    struct Failure: Error { var photo: Photo }

    private var onChange: (() -> Void)?
    private var items: [Item] = []
    private var photos: [Int: Photo] = [:]
    private var names: Set<String> = []
    private var numbers: [String: [Double]] = [:]
    private var data: Data?
    private var anything: Any?
    private var state = State.idle
    private var first: Item?

    /// Parts that are not freed with their graph, because this array holds them.
    private static var shared: [AnyObject] = []

    /// - Parameter seed: the same seed makes the same graph.
    public init(seed: UInt64) {
        var generator = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        func text(_ number: Int) -> String { "a text that does not fit into two words \(number)" }
        func photo() -> Photo {
            Photo(
                Int.random(in: 10...20_000, using: &generator),
                text(Int.random(in: 0...999, using: &generator)))
        }
        func item() -> Item {
            let item = Item(text(Int.random(in: 0...999, using: &generator)))
            if Bool.random(using: &generator) { item.photo = photo() }
            if Bool.random(using: &generator) { item.owner = self }
            for number in 0..<Int.random(in: 0...5, using: &generator) { item.tags.insert(text(number)) }
            return item
        }
        for part in 0..<Int.random(in: 1...6, using: &generator) {
            switch Int.random(in: 0...9, using: &generator) {
            case 0: items += (0..<Int.random(in: 1...100, using: &generator)).map { _ in item() }
            case 1: for number in 0..<Int.random(in: 1...50, using: &generator) { photos[number] = photo() }
            case 2:
                for number in 0..<Int.random(in: 1...500, using: &generator) { names.insert(text(number)) }
            case 3:
                for number in 0..<Int.random(in: 1...50, using: &generator) {
                    numbers[text(number)] = Array(
                        repeating: 1, count: Int.random(in: 1...200, using: &generator))
                }
            case 4: data = Data(count: Int.random(in: 100...300_000, using: &generator))
            case 5: anything = (1, 2, 3, photo())
            case 6:
                state = .loaded(
                    (0..<Int.random(in: 1...30, using: &generator)).map { _ in item() }, total: part)
            case 7: state = .failed(Failure(photo: photo()))
            case 8:
                for _ in 0..<Int.random(in: 1...200, using: &generator) {
                    let next = item()
                    next.next = first
                    first = next
                }
            default:
                let photo = photo()
                Self.shared.append(photo)
                photos[1000 + part] = photo
            }
        }
        let captured = Bool.random(using: &generator) ? [item(), item()] : []
        onChange = { [self] in use((self, captured)) }
    }

    /// Breaks the cycle through which the graph holds itself.
    public func breakCycle() { onChange = nil }

    deinit {
        // Frees the list item by item, because it would otherwise be freed by as many nested calls as it has items.
        while let item = first { first = item.next }
    }
}
