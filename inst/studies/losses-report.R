# The tables of losses.R.

markdown_table <- function(rows) {
  text <- as.data.frame(lapply(rows, function(v) ifelse(is.na(v), "-", as.character(v))))
  c(paste("|", paste(names(rows), collapse = " | "), "|"),
    paste0("|", strrep("---|", ncol(rows))),
    paste("|", do.call(paste, c(unname(text), sep = " | ")), "|"), "")
}

# One row per data set (and level), one column per method; a method counts where its splits are all
# those of vpsvm().
means <- function(runs, value) {
  tapply(runs[[value]], list(paste0(runs$data, ifelse(is.na(runs$tau), "", paste(", tau =",
                                                                                runs$tau))),
                             runs$method), mean)
}

in_order <- function(table, runs, methods) {
  keys <- unique(paste0(runs$data, ifelse(is.na(runs$tau), "", paste(", tau =", runs$tau))))
  table[keys, intersect(methods, colnames(table)), drop = FALSE]
}

common_splits <- function(runs) {
  key <- paste(runs$data, runs$split)
  methods <- tapply(runs$method, key, function(m) length(unique(m)))
  all <- tapply(runs$method, runs$data, function(m) length(unique(m)))
  runs[methods[key] == all[runs$data], ]
}

hinge_lines <- function(runs) {
  runs <- common_splits(runs[runs$part == "hinge", ])
  if (nrow(runs) == 0) return(NULL)
  methods <- c("vpsvm", "svm", "ksvm")
  error <- 100 * in_order(means(runs, "error"), runs, methods)
  best <- apply(error[, colnames(error) != "vpsvm", drop = FALSE], 1, min)
  splits <- tapply(runs$split, runs$data, function(v) length(unique(v)))[rownames(error)]
  rows <- data.frame(data = rownames(error), n = runs$n[match(rownames(error), runs$data)],
                     splits = as.vector(splits), round(error, 2),
                     difference = round(error[, "vpsvm"] - best, 2), check.names = FALSE)
  seconds <- in_order(means(runs, "cpu"), runs, methods)
  c("## Hinge: test error in %, means over the splits that all methods have", "",
    "`difference`: vpsvm() less the better of the others.", "", markdown_table(rows),
    "Seconds of the processor for search and fit:", "",
    markdown_table(data.frame(data = rownames(seconds), round(seconds, 1))))
}

pinball_lines <- function(runs) {
  runs <- common_splits(runs[runs$part == "pinball", ])
  if (nrow(runs) == 0) return(NULL)
  methods <- c("vpsvm", "ranger", "qtSVM", "kqr")
  loss <- in_order(means(runs, "error"), runs, methods)
  covered <- in_order(means(runs, "covered"), runs, methods)
  seconds <- in_order(means(runs, "cpu"), runs, methods)
  table <- function(m, digits) markdown_table(data.frame(data = rownames(m), round(m, digits)))
  c("## Pinball: mean loss in standard deviations of the response", "",
    paste("Means over", length(unique(runs$split)), "splits of", runs$n[1], "training rows."), "",
    table(loss, 4), "Share of test rows at most the quantile:", "", table(covered, 3),
    "Seconds of the processor for all three levels, search and fit:", "",
    table(seconds[!duplicated(sub(",.*", "", rownames(seconds))), , drop = FALSE], 1))
}

report_lines <- function(runs) {
  c("# Losses beside other packages", "", hinge_lines(runs), pinball_lines(runs))
}
