# Sourced by the scripts beside it, from the project's root: builds what is missing or out of date.
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
jar=bench/target/benchmarks.jar
sender=bench/target/blast
counter=bench/target/count

if [[ ! -e $jar || -n $(find pom.xml {framing,core,bench}/pom.xml {framing,core,bench}/src/main -newer $jar -print -quit) ]]; then
    ./mvnw -B -ntp -q -pl framing,core,bench -DskipTests package >&2
fi

build_peers() {
    local program source
    for program in $sender $counter; do
        source=bench/peers/$(basename $program).c
        if [[ ! -e $program || $source -nt $program ]]; then
            "${CC:-gcc}" -O2 -o $program "$source"
        fi
    done
}
