/// The types of the standard library that are read by their own rules, recognized by their descriptors.
struct StandardTypes {
    let arrayStorage: UInt
    let dictionaryStorage: UInt
    let setStorage: UInt
    let string: UInt
    let managedBuffer: UInt
    /// 0 if the system does not have the type.
    let inlineArray: UInt
    /// Structs that only wrap storage: their own properties do not show in a path.
    let wrappers: Set<UInt>
    /// The `wrappers` whose storage holds references only if their type arguments do.
    let containers: Set<UInt>

    init() {
        // Values that the compiler cannot put into static storage, which has other classes.
        let number = CommandLine.arguments.count &+ 1
        func descriptor(_ object: AnyObject) -> UInt { Metadata(type(of: object)).descriptor }
        arrayStorage = unsafe descriptor(unsafeBitCast([number, number], to: AnyObject.self))
        dictionaryStorage = unsafe descriptor(unsafeBitCast([number: number], to: AnyObject.self))
        setStorage = unsafe descriptor(unsafeBitCast(Set([number]), to: AnyObject.self))
        string = Metadata(String.self).descriptor
        managedBuffer = Metadata(ManagedBuffer<Int, Int>.self).descriptor
        if #available(iOS 26, tvOS 26, macOS 26, visionOS 26, *) {
            inlineArray = Metadata(InlineArray<1, Int>.self).descriptor
        } else {
            inlineArray = 0
        }
        let containers: [Any.Type] = [
            [Int].self, ContiguousArray<Int>.self, ArraySlice<Int>.self, [Int: Int].self, Set<Int>.self,
        ]
        self.containers = Set(containers.map { Metadata($0).descriptor })
        var wrappers = self.containers
        if #available(iOS 13, tvOS 13, macOS 10.15, *) {
            wrappers.insert(Metadata(Task<Void, Never>.self).descriptor)
        }
        self.wrappers = wrappers
    }
}
