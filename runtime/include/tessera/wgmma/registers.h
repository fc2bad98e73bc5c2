// SPDX-License-Identifier: Apache-2.0
// The operands of warpgroup products as text: an instruction of N columns has N / 2 sums in each thread, which inline
// assembly wants listed one by one. TESSERA_WGMMA_PLACES_n is "%0, %1, …" for n sums, TESSERA_WGMMA_SUMS_n(constraint) the
// operands themselves, elements of an array `d`. Taken back by instructions_end.h.
// clang-format off

#define TESSERA_WGMMA_PLACES_4 "%0, %1, %2, %3"
#define TESSERA_WGMMA_PLACES_8 TESSERA_WGMMA_PLACES_4 ", " "%4, %5, %6, %7"
#define TESSERA_WGMMA_PLACES_12 TESSERA_WGMMA_PLACES_8 ", " "%8, %9, %10, %11"
#define TESSERA_WGMMA_PLACES_16 TESSERA_WGMMA_PLACES_12 ", " "%12, %13, %14, %15"
#define TESSERA_WGMMA_PLACES_20 TESSERA_WGMMA_PLACES_16 ", " "%16, %17, %18, %19"
#define TESSERA_WGMMA_PLACES_24 TESSERA_WGMMA_PLACES_20 ", " "%20, %21, %22, %23"
#define TESSERA_WGMMA_PLACES_28 TESSERA_WGMMA_PLACES_24 ", " "%24, %25, %26, %27"
#define TESSERA_WGMMA_PLACES_32 TESSERA_WGMMA_PLACES_28 ", " "%28, %29, %30, %31"
#define TESSERA_WGMMA_PLACES_36 TESSERA_WGMMA_PLACES_32 ", " "%32, %33, %34, %35"
#define TESSERA_WGMMA_PLACES_40 TESSERA_WGMMA_PLACES_36 ", " "%36, %37, %38, %39"
#define TESSERA_WGMMA_PLACES_44 TESSERA_WGMMA_PLACES_40 ", " "%40, %41, %42, %43"
#define TESSERA_WGMMA_PLACES_48 TESSERA_WGMMA_PLACES_44 ", " "%44, %45, %46, %47"
#define TESSERA_WGMMA_PLACES_52 TESSERA_WGMMA_PLACES_48 ", " "%48, %49, %50, %51"
#define TESSERA_WGMMA_PLACES_56 TESSERA_WGMMA_PLACES_52 ", " "%52, %53, %54, %55"
#define TESSERA_WGMMA_PLACES_60 TESSERA_WGMMA_PLACES_56 ", " "%56, %57, %58, %59"
#define TESSERA_WGMMA_PLACES_64 TESSERA_WGMMA_PLACES_60 ", " "%60, %61, %62, %63"
#define TESSERA_WGMMA_PLACES_68 TESSERA_WGMMA_PLACES_64 ", " "%64, %65, %66, %67"
#define TESSERA_WGMMA_PLACES_72 TESSERA_WGMMA_PLACES_68 ", " "%68, %69, %70, %71"
#define TESSERA_WGMMA_PLACES_76 TESSERA_WGMMA_PLACES_72 ", " "%72, %73, %74, %75"
#define TESSERA_WGMMA_PLACES_80 TESSERA_WGMMA_PLACES_76 ", " "%76, %77, %78, %79"
#define TESSERA_WGMMA_PLACES_84 TESSERA_WGMMA_PLACES_80 ", " "%80, %81, %82, %83"
#define TESSERA_WGMMA_PLACES_88 TESSERA_WGMMA_PLACES_84 ", " "%84, %85, %86, %87"
#define TESSERA_WGMMA_PLACES_92 TESSERA_WGMMA_PLACES_88 ", " "%88, %89, %90, %91"
#define TESSERA_WGMMA_PLACES_96 TESSERA_WGMMA_PLACES_92 ", " "%92, %93, %94, %95"
#define TESSERA_WGMMA_PLACES_100 TESSERA_WGMMA_PLACES_96 ", " "%96, %97, %98, %99"
#define TESSERA_WGMMA_PLACES_104 TESSERA_WGMMA_PLACES_100 ", " "%100, %101, %102, %103"
#define TESSERA_WGMMA_PLACES_108 TESSERA_WGMMA_PLACES_104 ", " "%104, %105, %106, %107"
#define TESSERA_WGMMA_PLACES_112 TESSERA_WGMMA_PLACES_108 ", " "%108, %109, %110, %111"
#define TESSERA_WGMMA_PLACES_116 TESSERA_WGMMA_PLACES_112 ", " "%112, %113, %114, %115"
#define TESSERA_WGMMA_PLACES_120 TESSERA_WGMMA_PLACES_116 ", " "%116, %117, %118, %119"
#define TESSERA_WGMMA_PLACES_124 TESSERA_WGMMA_PLACES_120 ", " "%120, %121, %122, %123"
#define TESSERA_WGMMA_PLACES_128 TESSERA_WGMMA_PLACES_124 ", " "%124, %125, %126, %127"
#define TESSERA_WGMMA_SUMS_4(c) c(d[0]), c(d[1]), c(d[2]), c(d[3])
#define TESSERA_WGMMA_SUMS_8(c) TESSERA_WGMMA_SUMS_4(c), c(d[4]), c(d[5]), c(d[6]), c(d[7])
#define TESSERA_WGMMA_SUMS_12(c) TESSERA_WGMMA_SUMS_8(c), c(d[8]), c(d[9]), c(d[10]), c(d[11])
#define TESSERA_WGMMA_SUMS_16(c) TESSERA_WGMMA_SUMS_12(c), c(d[12]), c(d[13]), c(d[14]), c(d[15])
#define TESSERA_WGMMA_SUMS_20(c) TESSERA_WGMMA_SUMS_16(c), c(d[16]), c(d[17]), c(d[18]), c(d[19])
#define TESSERA_WGMMA_SUMS_24(c) TESSERA_WGMMA_SUMS_20(c), c(d[20]), c(d[21]), c(d[22]), c(d[23])
#define TESSERA_WGMMA_SUMS_28(c) TESSERA_WGMMA_SUMS_24(c), c(d[24]), c(d[25]), c(d[26]), c(d[27])
#define TESSERA_WGMMA_SUMS_32(c) TESSERA_WGMMA_SUMS_28(c), c(d[28]), c(d[29]), c(d[30]), c(d[31])
#define TESSERA_WGMMA_SUMS_36(c) TESSERA_WGMMA_SUMS_32(c), c(d[32]), c(d[33]), c(d[34]), c(d[35])
#define TESSERA_WGMMA_SUMS_40(c) TESSERA_WGMMA_SUMS_36(c), c(d[36]), c(d[37]), c(d[38]), c(d[39])
#define TESSERA_WGMMA_SUMS_44(c) TESSERA_WGMMA_SUMS_40(c), c(d[40]), c(d[41]), c(d[42]), c(d[43])
#define TESSERA_WGMMA_SUMS_48(c) TESSERA_WGMMA_SUMS_44(c), c(d[44]), c(d[45]), c(d[46]), c(d[47])
#define TESSERA_WGMMA_SUMS_52(c) TESSERA_WGMMA_SUMS_48(c), c(d[48]), c(d[49]), c(d[50]), c(d[51])
#define TESSERA_WGMMA_SUMS_56(c) TESSERA_WGMMA_SUMS_52(c), c(d[52]), c(d[53]), c(d[54]), c(d[55])
#define TESSERA_WGMMA_SUMS_60(c) TESSERA_WGMMA_SUMS_56(c), c(d[56]), c(d[57]), c(d[58]), c(d[59])
#define TESSERA_WGMMA_SUMS_64(c) TESSERA_WGMMA_SUMS_60(c), c(d[60]), c(d[61]), c(d[62]), c(d[63])
#define TESSERA_WGMMA_SUMS_68(c) TESSERA_WGMMA_SUMS_64(c), c(d[64]), c(d[65]), c(d[66]), c(d[67])
#define TESSERA_WGMMA_SUMS_72(c) TESSERA_WGMMA_SUMS_68(c), c(d[68]), c(d[69]), c(d[70]), c(d[71])
#define TESSERA_WGMMA_SUMS_76(c) TESSERA_WGMMA_SUMS_72(c), c(d[72]), c(d[73]), c(d[74]), c(d[75])
#define TESSERA_WGMMA_SUMS_80(c) TESSERA_WGMMA_SUMS_76(c), c(d[76]), c(d[77]), c(d[78]), c(d[79])
#define TESSERA_WGMMA_SUMS_84(c) TESSERA_WGMMA_SUMS_80(c), c(d[80]), c(d[81]), c(d[82]), c(d[83])
#define TESSERA_WGMMA_SUMS_88(c) TESSERA_WGMMA_SUMS_84(c), c(d[84]), c(d[85]), c(d[86]), c(d[87])
#define TESSERA_WGMMA_SUMS_92(c) TESSERA_WGMMA_SUMS_88(c), c(d[88]), c(d[89]), c(d[90]), c(d[91])
#define TESSERA_WGMMA_SUMS_96(c) TESSERA_WGMMA_SUMS_92(c), c(d[92]), c(d[93]), c(d[94]), c(d[95])
#define TESSERA_WGMMA_SUMS_100(c) TESSERA_WGMMA_SUMS_96(c), c(d[96]), c(d[97]), c(d[98]), c(d[99])
#define TESSERA_WGMMA_SUMS_104(c) TESSERA_WGMMA_SUMS_100(c), c(d[100]), c(d[101]), c(d[102]), c(d[103])
#define TESSERA_WGMMA_SUMS_108(c) TESSERA_WGMMA_SUMS_104(c), c(d[104]), c(d[105]), c(d[106]), c(d[107])
#define TESSERA_WGMMA_SUMS_112(c) TESSERA_WGMMA_SUMS_108(c), c(d[108]), c(d[109]), c(d[110]), c(d[111])
#define TESSERA_WGMMA_SUMS_116(c) TESSERA_WGMMA_SUMS_112(c), c(d[112]), c(d[113]), c(d[114]), c(d[115])
#define TESSERA_WGMMA_SUMS_120(c) TESSERA_WGMMA_SUMS_116(c), c(d[116]), c(d[117]), c(d[118]), c(d[119])
#define TESSERA_WGMMA_SUMS_124(c) TESSERA_WGMMA_SUMS_120(c), c(d[120]), c(d[121]), c(d[122]), c(d[123])
#define TESSERA_WGMMA_SUMS_128(c) TESSERA_WGMMA_SUMS_124(c), c(d[124]), c(d[125]), c(d[126]), c(d[127])

/// X(columns, sums, …) for the widths that products of all types have and that tiles are made of, with the places behind
/// the sums.
#define TESSERA_WGMMA_EVERY_16(X) \
  X(16, 8, "%8", "%9", "%10", "%11", "%12", "%13", "%14", "%15", "%16", "%17", "%18", "%19") \
  X(32, 16, "%16", "%17", "%18", "%19", "%20", "%21", "%22", "%23", "%24", "%25", "%26", "%27") \
  X(48, 24, "%24", "%25", "%26", "%27", "%28", "%29", "%30", "%31", "%32", "%33", "%34", "%35") \
  X(64, 32, "%32", "%33", "%34", "%35", "%36", "%37", "%38", "%39", "%40", "%41", "%42", "%43") \
  X(80, 40, "%40", "%41", "%42", "%43", "%44", "%45", "%46", "%47", "%48", "%49", "%50", "%51") \
  X(96, 48, "%48", "%49", "%50", "%51", "%52", "%53", "%54", "%55", "%56", "%57", "%58", "%59") \
  X(112, 56, "%56", "%57", "%58", "%59", "%60", "%61", "%62", "%63", "%64", "%65", "%66", "%67") \
  X(128, 64, "%64", "%65", "%66", "%67", "%68", "%69", "%70", "%71", "%72", "%73", "%74", "%75") \
  X(144, 72, "%72", "%73", "%74", "%75", "%76", "%77", "%78", "%79", "%80", "%81", "%82", "%83") \
  X(160, 80, "%80", "%81", "%82", "%83", "%84", "%85", "%86", "%87", "%88", "%89", "%90", "%91") \
  X(176, 88, "%88", "%89", "%90", "%91", "%92", "%93", "%94", "%95", "%96", "%97", "%98", "%99") \
  X(192, 96, "%96", "%97", "%98", "%99", "%100", "%101", "%102", "%103", "%104", "%105", "%106", "%107") \
  X(208, 104, "%104", "%105", "%106", "%107", "%108", "%109", "%110", "%111", "%112", "%113", "%114", "%115") \
  X(224, 112, "%112", "%113", "%114", "%115", "%116", "%117", "%118", "%119", "%120", "%121", "%122", "%123") \
  X(240, 120, "%120", "%121", "%122", "%123", "%124", "%125", "%126", "%127", "%128", "%129", "%130", "%131") \
  X(256, 128, "%128", "%129", "%130", "%131", "%132", "%133", "%134", "%135", "%136", "%137", "%138", "%139")
