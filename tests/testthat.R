library(testthat)
library(flexkern)

cat("BLAS:", extSoftVersion()[["BLAS"]], "\n")
test_check("flexkern")
