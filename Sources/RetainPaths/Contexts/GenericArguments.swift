/// Type arguments in the form that the runtime needs to resolve a name: a descriptor with as many parameters, and an array of
/// types.
struct GenericArguments {
    // Types that are used only for the number of their parameters, which the runtime reads from the descriptor.
    private struct Outer1<A> {
        struct Inner1<B> {}
        struct Inner2<B, C> {}
        struct Inner3<B, C, D> {}
    }
    private struct Outer2<A, B> {
        struct Inner1<C> {}
        struct Inner2<C, D> {}
        struct Inner3<C, D, E> {}
    }
    private struct Outer3<A, B, C> {
        struct Inner1<D> {}
        struct Inner2<D, E> {}
        struct Inner3<D, E, F> {}
    }
    private struct Outer4<A, B, C, D> {
        struct Inner1<E> {}
        struct Inner2<E, F> {}
        struct Inner3<E, F, G> {}
    }

    /// Descriptors by the number of parameters at depth 0, from 1 to 4, then by the number of parameters at depth 1, from 0 to
    /// 3.
    private static let descriptors: [[UInt]] = {
        let types: [[Any.Type]] = [
            [
                Outer1<Int>.self, Outer1<Int>.Inner1<Int>.self, Outer1<Int>.Inner2<Int, Int>.self,
                Outer1<Int>.Inner3<Int, Int, Int>.self,
            ],
            [
                Outer2<Int, Int>.self, Outer2<Int, Int>.Inner1<Int>.self,
                Outer2<Int, Int>.Inner2<Int, Int>.self,
                Outer2<Int, Int>.Inner3<Int, Int, Int>.self,
            ],
            [
                Outer3<Int, Int, Int>.self, Outer3<Int, Int, Int>.Inner1<Int>.self,
                Outer3<Int, Int, Int>.Inner2<Int, Int>.self, Outer3<Int, Int, Int>.Inner3<Int, Int, Int>.self,
            ],
            [
                Outer4<Int, Int, Int, Int>.self, Outer4<Int, Int, Int, Int>.Inner1<Int>.self,
                Outer4<Int, Int, Int, Int>.Inner2<Int, Int>.self,
                Outer4<Int, Int, Int, Int>.Inner3<Int, Int, Int>.self,
            ],
        ]
        return types.map { $0.map { Metadata($0).descriptor } }
    }()

    /// A type argument, and the parameter that it belongs to.
    struct Argument {
        var depth: Int
        var index: Int
        var type: Metadata
    }

    private let descriptor: UInt
    private let words: [UInt]

    /// - Returns: `nil` if there are no arguments, parameters deeper than 1, more than four at depth 0, or more than three at depth
    ///   1.
    init?(_ arguments: [Argument]) {
        guard !arguments.isEmpty else { return nil }
        func count(_ depth: Int) -> Int {
            (arguments.filter { $0.depth == depth }.map(\.index).max() ?? -1) + 1
        }
        let (outer, inner) = (max(1, count(0)), count(1))
        guard outer <= 4, inner <= 3, arguments.allSatisfy({ $0.depth < 2 }) else { return nil }
        descriptor = Self.descriptors[outer - 1][inner]
        // No capture uses a parameter without a source, so `Void` stands for its argument.
        var words = Array(repeating: Metadata(Void.self).address, count: outer + inner)
        for argument in arguments { words[argument.depth * outer + argument.index] = argument.type.address }
        self.words = words
    }

    /// Returns the type with a mangled name that may use the parameters; `nil` if the runtime cannot resolve the name.
    func type(named name: MangledName) -> Metadata? {
        unsafe words.withUnsafeBufferPointer { words in
            Reflection.type(
                named: name, context: descriptor, arguments: UInt(bitPattern: words.baseAddress))
        }
    }
}

/// The offsets at which the contexts of one generic closure hold the closure's type arguments.
struct GenericContext {
    enum ArgumentLocation {
        /// A word of the context is the type.
        case type(offset: UInt)
        /// A capture is an object of the class or of a subclass.
        case object(offset: UInt, capture: Int, classDescriptor: UInt)
    }

    struct Parameter {
        var depth: Int
        var index: Int
        var location: ArgumentLocation
        /// The indexes of the type arguments to take, the innermost first.
        var path: [Int]
    }

    let descriptor: CaptureDescriptor
    var parameters: [Parameter] = []
}
