# The tables and the verdicts of artificial.R.

# Bayes risks of the paper's test sets.
bayes_risk <- c(I = 0.0254, II = 0.0137, III = 0.0529, IV = 0.0083, V = 0.0634)

# A difference below two standard errors of its paired mean counts as a tie.
noise_factor <- 2
l2_tolerance <- 0.25

summarise <- function(runs) {
  by <- runs[c("type", "n", "method", "setting")]
  groups <- split(runs, do.call(paste, by), drop = TRUE)
  rows <- lapply(groups, function(g) {
    data.frame(
      g[1, names(by)], runs = nrow(g), cells = mean(g$cells),
      test = mean(g$test.error), test.sd = stats::sd(g$test.error),
      l2 = mean(g$l2.error), l2.sd = stats::sd(g$l2.error), seconds = mean(g$train.seconds)
    )
  })
  out <- do.call(rbind, rows)
  out <- out[order(match(out$type, names(bayes_risk)), out$n,
                   match(out$method, c("LS", "VP", "RC")), out$setting), ]
  rownames(out) <- NULL
  out
}

beside_paper <- function(means, paper) {
  named <- c("type", "method", "setting", "n")
  at <- match(do.call(paste, means[named]), do.call(paste, paper[named]))
  cbind(means, paper.cells = paper$cells[at], paper.test = paper$test.error[at],
        paper.l2 = paper$l2.error[at], paper.seconds = paper$train.seconds[at])
}

# ---- tables ----------------------------------------------------------------------------------

label <- function(method, setting) {
  ifelse(method == "LS", "LS",
         paste0(method, ifelse(method == "VP", " radius ", " chunks "), setting))
}

number <- function(x, digits) ifelse(is.na(x), "-", formatC(x, digits = digits, format = "f"))

spread <- function(x, sd) paste0(number(x, 4), " (", number(sd, 4), ")")

table_lines <- function(rows) {
  body <- paste(
    "|", label(rows$method, rows$setting), "|", number(rows$cells, 1), "|",
    number(rows$paper.cells, 1), "|", spread(rows$test, rows$test.sd), "|",
    number(rows$paper.test, 4), "|", spread(rows$l2, rows$l2.sd), "|", number(rows$paper.l2, 4),
    "|", number(rows$seconds, 2), "|", number(rows$paper.seconds, 2), "|"
  )
  c(
    paste0("### Type ", rows$type[1], ", n = ", rows$n[1], ", ", runs_text(rows$runs)), "",
    paste("| method | cells | paper | test error (sd) | paper | L2 error (sd) | paper",
          "| train [s] | paper |"),
    paste0("|---", strrep("|---:", 8), "|"), body, ""
  )
}

runs_text <- function(runs) {
  paste(paste(unique(range(runs)), collapse = " to "), if (max(runs) == 1) "run" else "runs")
}

# ---- verdicts --------------------------------------------------------------------------------

best <- function(rows, method) {
  rows <- rows[rows$method %in% method, ]
  rows[which.min(rows$test), ]
}

# Test errors of one setting by repetition.
errors <- function(runs, row) {
  g <- merge(runs, row[c("type", "n", "method", "setting")])
  stats::setNames(g$test.error, g$rep)
}

# Is `a` ahead of `b` in test error, on the same data sets?
compare <- function(runs, a, b) {
  first <- errors(runs, a)
  second <- errors(runs, b)
  both <- intersect(names(first), names(second))
  gain <- second[both] - first[both]
  noise <- if (length(gain) > 1) stats::sd(gain) / sqrt(length(gain)) else NA
  verdict <- if (is.na(noise) || abs(mean(gain)) > noise_factor * noise) {
    if (mean(gain) > 0) "yes" else "NO"
  } else {
    "tie"
  }
  list(verdict = verdict, text = sprintf(
    "%s %.5f, %s %.5f, difference %+.5f (s.e. %.5f)", label(a$method, a$setting), a$test,
    label(b$method, b$setting), b$test, mean(gain), noise
  ))
}

verdict_row <- function(finding, verdict, text, paper) {
  paste("|", finding, "|", verdict, "|", text, "|", paper, "|")
}

# The same comparison of the best settings by the paper's figures.
paper_text <- function(rows, ours, theirs) {
  least <- function(method) {
    rows <- rows[rows$method %in% method, ]
    rows <- rows[which.min(rows$paper.test), ]
    paste(label(rows$method, rows$setting), number(rows$paper.test, 4))
  }
  paste0(least(ours), ", ", least(theirs))
}

cells_before_global <- function(runs, rows) {
  result <- compare(runs, best(rows, "VP"), best(rows, "LS"))
  verdict_row(paste0("Type ", rows$type[1], ": the best radius of VP before LS"), result$verdict,
              result$text, paper_text(rows, "VP", "LS"))
}

global_first <- function(runs, rows) {
  result <- compare(runs, best(rows, "LS"), best(rows, c("VP", "RC")))
  verdict_row(paste0("Type ", rows$type[1], ": LS (VP with its largest radius) first"),
              result$verdict, result$text, paper_text(rows, "LS", c("VP", "RC")))
}

# VP with its largest radius is LS.
chunks_behind <- function(runs, rows) {
  front <- best(rows, c("LS", "VP"))
  chunks <- rows[rows$method == "RC", ]
  result <- compare(runs, front, best(rows, "RC"))
  verdict_row(
    paste0("Type ", rows$type[1], ": RC behind VP"), result$verdict,
    sprintf("%d of %d chunk numbers behind; %s", sum(chunks$test > front$test), nrow(chunks),
            result$text),
    paper_text(rows, c("LS", "VP"), "RC")
  )
}

l2_near_paper <- function(rows) {
  cells <- rows[rows$method == "VP", ]
  compared <- rbind(rows[rows$method == "LS", ], cells[which.min(cells$l2), ])
  theirs <- c(rows$paper.l2[rows$method == "LS"], min(cells$paper.l2))
  ratio <- compared$l2 / theirs
  verdict <- ifelse(abs(ratio - 1) <= l2_tolerance, "yes", ifelse(ratio < 1, "below", "ABOVE"))
  verdict_row(
    sprintf("Type %s, n = %d: L2 error of %s within %.0f %% of the paper's", rows$type[1],
            rows$n[1], c("LS", "the best VP"), 100 * l2_tolerance),
    verdict,
    sprintf("%s %.4f, ratio %.2f", label(compared$method, compared$setting), compared$l2, ratio),
    sprintf("%.4f", theirs)
  )
}

complete <- function(rows) all(c("LS", "VP", "RC") %in% rows$method)

verdict_lines <- function(runs, table) {
  blocks <- Filter(complete, split(table, list(table$n, table$type), drop = TRUE))
  large <- Filter(function(rows) rows$n[1] == 10000, blocks)
  of_type <- function(types) Filter(function(rows) rows$type[1] %in% types, large)
  absolute <- Filter(function(rows) {
    rows$type[1] %in% c("I", "II", "III") && !anyNA(rows$paper.l2)
  }, blocks)
  c(
    "| finding | holds | figures | paper |", "|---|---|---|---|",
    vapply(of_type(c("I", "II", "III", "IV")), cells_before_global, "", runs = runs),
    vapply(of_type("V"), global_first, "", runs = runs),
    vapply(large, chunks_behind, "", runs = runs),
    unlist(lapply(absolute, l2_near_paper)), ""
  )
}

report_lines <- function(runs, paper) {
  table <- beside_paper(summarise(runs), paper)
  blocks <- split(table, list(table$n, factor(table$type, names(bayes_risk))), drop = TRUE)
  c(
    "# Artificial problems: LS, VP and RC beside the paper", "",
    "Written by `artificial.R`; the runs are in `artificial.csv`. Paper: Eberts and Steinwart,",
    "arXiv:1507.06615, Tables 7 to 11 (100 runs, other machine). The paper shows its regression",
    "functions as pictures only; `vp_artificial()` has stand-ins with its Bayes risks, so that the",
    "order of the methods can be compared on all types and absolute figures on I to III. Every",
    "repetition draws new training and test data (10 000 points), which all methods share. VP with",
    "the paper's largest radius and RC with one chunk are LS and are not listed again.", "",
    "## Verdicts", "",
    "The first findings are about the mean test error at n = 10 000. A difference of less than two",
    "standard errors of the paired mean is a tie.", "",
    verdict_lines(runs, table), "## Tables", "", unlist(lapply(blocks, table_lines))
  )
}
