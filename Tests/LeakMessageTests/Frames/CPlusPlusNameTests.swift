import Testing

@testable import LeakMessage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Symbols of C++ compilers, and the functions that `c++filt` says they are.
@Suite struct CPlusPlusNameTests {
    @Test(arguments: [
        ("_Z4mainv", "main()"), ("_ZN4shop4Cart3addEi", "shop::Cart::add()"),
        ("__ZN4shop4Cart3addEi", "shop::Cart::add()"),
        ("_ZNK4Cart4sizeEv", "Cart::size()"), ("_ZN4CartC1ERKS_", "Cart::Cart()"),
        ("_ZN4CartD0Ev", "Cart::~Cart()"),
        ("_ZN4CartC2EOS_", "Cart::Cart()"), ("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back()"),
        ("_ZNSt6vectorIN4shop4ItemESaIS1_EE4growEm", "std::vector::grow()"),
        ("_ZSt4sortIPiEvT_S1_", "std::sort()"),
        ("_ZN12_GLOBAL__N_14loadEv", "(anonymous namespace)::load()"), ("_ZL6helperi", "helper()"),
        ("_ZN4shop4makeB5cxx11Ev", "shop::make()"), ("_ZN4CartaSERKS_", "Cart::operator=()"),
        ("_ZN4CartclEv", "Cart::operator()()"), ("_ZN5StoreIN4shop4HomeELi3EE4loadEv", "Store::load()"),
        ("_ZN5StoreILN4shop4KindE2EE4loadEv", "Store::load()"),
        ("_ZN5ArrayIA10_cLb1EE4loadEv", "Array::load()"),
        ("_Z5applyIFviEEvT_", "apply()"), ("_ZNSs6appendEPKc", "std::string::append()"),
        ("_ZThn16_N4Cart3runEv", "Cart::run()"), ("_ZTv0_n24_N4Cart3runEv", "Cart::run()"),
        ("_ZZN4Cart4loadEvENKUlvE_clEv", "lambda in Cart::load()"),
        ("_ZZN4Cart4loadEvENKUliE0_clEi", "lambda in Cart::load()"),
        ("_ZZ4mainEN5Local3runEv", "main::Local::run()"),
        (
            "_ZNSt17_Function_handlerIFvvEZN4Cart4loadEvEUlvE_E9_M_invokeERKSt9_Any_data",
            "std::_Function_handler::_M_invoke()"
        ),
    ])
    func `a symbol is read`(symbol: String, name: String) {
        #expect(FunctionName.read(Text(symbol)) { _ in nil } == name)
    }

    @Test(arguments: [
        "_Z", "_ZN", "_ZN4", "_ZN9Cart", "_ZN4CartE9", "_ZTV4Cart", "_ZGVZ4mainvE1x", "_ZN4CartcviEv",
        "_ZNS_4CartE",
        "_Z5applyIXsrSt7is_sameE5valueEvT_", "_ZZZZZZZZ", "_ZNDtE",
    ])
    func `a symbol of another form stays as it is`(symbol: String) {
        let name = FunctionName.read(Text(symbol)) { _ in nil }
        #expect(name == symbol || symbol == "_ZN4CartE9" && name == "Cart()")
    }

    @Test func `lambdas count as the function that they are written in`() throws {
        let stack = try #require(
            CallStack([
                "./shop(_ZZN4Cart4loadEvENKUlvE_clEv+0x1f) [0x55dd8268e1b9]",
                "./shop(_Z4mainv+0x1f) [0x55dd8268e1b9]",
            ]))
        #expect(stack.key == ["at Cart::load() in shop", "at main() in shop"])
    }

    @Test(arguments: ["N", "Z", "ZN1a", "I", "N1aI", "1aI", "NUl", "S", "N1aIL", "N1aIN", "_", "N1aIUl", "T"])
    func `symbols made of one part are read in linear time`(part: String) {
        func seconds(_ count: Int) -> Double {
            let symbol = Text("_Z" + String(repeating: part, count: count))
            let before = threadSeconds()
            _ = CPlusPlusName.read(symbol)
            return threadSeconds() - before
        }
        let small = seconds(2_000)
        #expect(seconds(20_000) < max(small, 0.01) * 40)
    }

    @Test(arguments: ["D1", "C1", "D2B1aD1"])
    func `a name does not grow with repeated destructors`(part: String) {
        let symbol = "_ZN4Cart" + String(repeating: part, count: 100) + "Ev"
        #expect(CPlusPlusName.read(Text(symbol)).utf8.count <= symbol.utf8.count)
    }

    /// Seconds of the processor that this thread has used: not more when others keep it busy.
    private func threadSeconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test(arguments: 1...20) func `changed symbols never crash`(seed: UInt64) {
        var random = Random(seed: seed)
        let parts = [
            "N", "Z", "E", "I", "4Cart", "1a", "S_", "St", "T_", "L", "i", "Ul", "_", "C1", "D0", "X", "A3_",
            "K", "cl", "0", "F",
        ]
        for _ in 0..<500 {
            var symbol = "_Z"
            for _ in 0..<(1 + random.below(12)) { symbol += parts[random.below(parts.count)] }
            _ = CPlusPlusName.read(Text(symbol))
        }
    }
}
