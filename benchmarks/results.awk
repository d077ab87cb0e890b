# results.awk - one setting of a regret experiment as rows of a table; see results.sh.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Reads summary.csv, tests.csv, habits.csv and times.csv; columns are found by their names.
FNR == 1 {
    file++
    delete column
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$1 != setting { next }
file == 1 {
    if (!($2 in seen)) {
        seen[$2] = 1
        order[++count] = $2
    }
    if ($column["iteration"] == 10)
        ten[$2] = sprintf("%.3g", $column["simple_mean"])
    # The last iteration comes last.
    simple[$2] = sprintf("%.3g ± %.2g", $column["simple_mean"], $column["simple_se"])
    median[$2] = sprintf("%.3g [%.2g, %.2g]", $column["simple_median"], $column["simple_q25"],
        $column["simple_q75"])
    cumulative[$2] = sprintf("%.3g ± %.2g", $column["cumulative_mean"], $column["cumulative_se"])
    norm[$2] = sprintf("%.3g", $column["simple_mean_norm"])
    cumulative_norm[$2] = sprintf("%.3g ± %.2g", $column["cumulative_mean_norm"],
        $column["cumulative_se_norm"])
}
file == 2 && $column["regret"] == "cumulative" {
    p[$2] = sprintf("%.2g", $column["p_holm"])
    effect[$2] = sprintf("%+.2f", $column["effect"])
}
file == 3 {
    repeats[$2] = sprintf("%.0f%%", 100 * $column["repeats"])
    incumbent[$2] = sprintf("%.0f%%", 100 * $column["at_incumbent"])
    sd[$2] = $column["sd_last_ten"] + 0 > 0 ? sprintf("%.3g", $column["sd_last_ten"]) : ""
    high[$2] = sprintf("%.0f%%", 100 * $column["ending_above_tenth"])
}
file == 4 { ms[$2] = sprintf("%.2f", $column["milliseconds"]) }
END {
    for (i = 1; i <= count; i++) {
        s = order[i]
        printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", s, ten[s],
            simple[s], median[s], cumulative[s], norm[s], cumulative_norm[s], p[s], effect[s],
            repeats[s], incumbent[s], sd[s], high[s], ms[s]
    }
}
