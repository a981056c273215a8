# The tables of hgsvm.R.

hg_sets <- c("bank32nh", "cadata", "cod_rna", "covtype", "cpusmall", "ccpp", "higgs", "letter",
             "magic", "pendigits", "satimage", "shuttle", "thyroid", "updrs")
hg_methods <- c(hgsvm = "hgsvm()", vpsvm = "vpsvm(), one cell", forest = "randomForest()")

markdown_table <- function(rows) {
  c(paste("|", paste(names(rows), collapse = " | "), "|"),
    paste0("|---|", strrep("---:|", ncol(rows) - 1)),
    paste("|", do.call(paste, c(unname(rows), sep = " | ")), "|"), "")
}

# Only splits that all methods have seen are compared.
common_runs <- function(runs, methods) {
  key <- paste(runs$data, runs$rep)
  count <- table(key[runs$method %in% methods])
  runs[key %in% names(count)[count == length(methods)] & runs$method %in% methods, ]
}

# Rows: data sets; columns: methods.
cell_table <- function(runs, value, fun) {
  tapply(runs[[value]], list(factor(runs$data, intersect(hg_sets, runs$data)), runs$method), fun)
}

spread <- function(v) if (length(v) > 1) stats::sd(v) else NA_real_

error_lines <- function(runs, methods) {
  average <- function(value) cell_table(runs, value, mean)[, methods, drop = FALSE]
  error <- average("error")
  cpu <- average("cpu")
  sd <- cell_table(runs, "error", spread)[, methods, drop = FALSE]
  text <- sprintf("%.5f%s", error, ifelse(is.na(sd), "", sprintf(" (%.5f)", sd)))
  text <- ifelse(error == apply(error, 1, min), paste0("**", text, "**"), text)
  splits <- cell_table(runs, "rep", function(r) length(unique(r)))[, 1]
  table <- data.frame(rownames(error), splits, matrix(text, nrow(error)),
                      matrix(sprintf("%.0f", cpu), nrow(error)))
  names(table) <- c("data", "splits", hg_methods[methods], paste(methods, "cpu [s]"))
  c(markdown_table(table), if (length(methods) == 3) finding_lines(error))
}

finding <- function(what, holds) {
  where <- names(holds)[holds]
  paste0("* ", what, ": ", length(where), " of ", length(holds),
         if (length(where)) paste0(" (", paste(where, collapse = ", "), ")"))
}

# The paper's findings, on 15 sets and among five methods: hierarchical kernels better than the
# plain one on all, first or second on 14, far ahead on updrs; forests far ahead on shuttle and
# thyroid.
finding_lines <- function(error) {
  hg <- error[, "hgsvm"]
  plain <- error[, "vpsvm"]
  least <- apply(error, 1, min)
  ahead <- function(name, who) {
    if (!name %in% rownames(error)) return(NULL)
    ratio <- error[name, who] / min(error[name, setdiff(colnames(error), who)])
    sprintf("* %s: %s has %.2f times the error of the better of the others (paper: far ahead).",
            name, hg_methods[[who]], ratio)
  }
  c(
    finding("hgsvm() below vpsvm() (paper: 15 of 15)", hg < plain),
    sprintf("* Geometric mean of the ratio of their errors: %.3f.", exp(mean(log(hg / plain)))),
    finding("hgsvm() first (paper: 6 of 15)", hg == least),
    finding("hgsvm() last of the three (paper: not in the first two on 1 of 15)",
            hg == apply(error, 1, max)),
    finding("randomForest() first (paper: 7 of 15)", error[, "forest"] == least),
    ahead("updrs", "hgsvm"), ahead("shuttle", "forest"), ahead("thyroid", "forest"), ""
  )
}

report_lines <- function(runs) {
  lines <- c(
    "# Hierarchical Gaussian kernels beside a plain SVM and forests", "",
    paste("Mean squared error on new rows (at most 20 000), responses in [-1, 1] and predictions",
          "clipped to it; mean (sd) over random splits. Seconds of one thread, taken beside other",
          "work, are no benchmark."), ""
  )
  for (n in sort(unique(runs$n))) {
    some <- runs[runs$n == n, ]
    methods <- intersect(names(hg_methods), some$method)
    shared <- common_runs(some, methods)
    if (nrow(shared)) {
      lines <- c(lines, paste0("## ", n, " training rows"), "", error_lines(shared, methods))
    }
  }
  lines
}
